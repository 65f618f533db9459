# SPDX-License-Identifier: Apache-2.0
"""Runs of one program with one thing changed are compared, and what differs is
said above the numbers; other models and other uses are refused. On the virtual
clock: no number is the machine's.

usage: variants_test.py [PYTHON], which may know Triton
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "endtoend"))
import chain  # noqa: E402

chain.TIMEOUT_S = 900  # on a machine with other work

PYTHON = sys.argv[1] if len(sys.argv) > 1 else sys.executable
SEEDED = chain.SCRIPTS / "seeded"
STEPS = 6
RAN = re.compile(r"^(\S+) (\d+)$", re.M)
CONVNET = "--model:convnet"
# What is changed, and what is said to differ.
OF_TRANSFORMER = {
    "--manual": set(),
    "--optimizer:fused": set(),
    "--optimizer:loop": set(),
    "--autocast": {"precision"},
    "--batch:32": {"shapes"},
    "--sequence:512": {"shapes"},
    "--micro-batches:2:--batch:8": {"shapes"},
    "--workers:2": set(),
    "--read": set(),
    "--checkpoint": set(),
    "--layers:6": set(),
}
OF_CONVNET = {
    f"{CONVNET}:--channels-last": set(),
    f"{CONVNET}:--autocast": {"precision"},
    f"{CONVNET}:--batch:32": {"shapes"},
}
COMPILED = "--compile"
INFERENCE = "--infer"
LSTM = "--model:lstm"
PLAIN = "--workers:0"  # the default


def with_triton() -> bool:
    return subprocess.run([PYTHON, "-c", "import triton"], check=False,
                          capture_output=True).returncode == 0


def programs() -> list[str]:
    return [PLAIN, CONVNET, LSTM, INFERENCE, *OF_TRANSFORMER, *OF_CONVNET,
            *([COMPILED] if with_triton() else [])]


def runs_of(words: list[str], folder: pathlib.Path,
            gpu: str = chain.GPU) -> dict[str, str]:
    """A trace for each; PyTorch is imported once."""
    trace = folder / gpu
    done = chain.run(
        [chain.DLTAP, "run", "--gpu", f"sim:{gpu}", "--sim-clock", "virtual",
         "--no-report", "-o", trace, "--", PYTHON, SEEDED / "run_each.py",
         *(f"variants:--steps:{STEPS}:{each}" for each in words)],
        chain.simulated_environment())
    runs = {}
    for text, pid in RAN.findall(done.stdout):
        (file,) = trace.glob(f"*-{pid}-*.dltap")
        runs[text.split(":", 3)[3]] = str(file)
    return runs


@chain.needs_torch
class VariantsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        cls.runs = runs_of(programs(), path)
        cls.other_gpu = runs_of([PLAIN], path, "a100-40-sxm")[PLAIN]

    def diff(self, base: str, new: str, *options: str, code=0):
        done = subprocess.run(
            [chain.DLTAP, "diff", *options, base, new], text=True,
            capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def check(self, base: str, new: str, said: set[str]) -> dict:
        document = json.loads(self.diff(base, new, "--json", "-").stdout)
        self.assertEqual(document["not_comparable"], [])
        ids = {each["id"] for each in document["unlike"]}
        # Kernels of the layers are what most changes change.
        self.assertEqual(ids - {"fused"}, said)
        parts = sum(part["ns"]["change"] for part in document["parts"])
        self.assertAlmostEqual(parts + document["unexplained_ns"],
                               document["step_ns"]["change"], delta=1)
        return document

    def test_one_thing_changed_is_compared_and_said(self):
        for base, changes in ((PLAIN, OF_TRANSFORMER), (CONVNET, OF_CONVNET)):
            for words, said in changes.items():
                with self.subTest(words):
                    self.check(self.runs[base], self.runs[words], said)
                    self.check(self.runs[words], self.runs[base], said)

    def test_compiled_is_compared_with_eager(self):
        if COMPILED not in self.runs:
            self.skipTest("no Triton")
        self.check(self.runs[PLAIN], self.runs[COMPILED], set())

    def test_another_gpu_is_compared_but_not_judged(self):
        base = self.runs[PLAIN]
        self.check(base, self.other_gpu, {"gpu"})
        refused = self.diff(base, self.other_gpu, "--fail-on", "step_ms>3%",
                            code=3)
        self.assertIn("other GPUs", refused.stderr)

    def test_twice_the_batch_is_twice_the_work(self):
        text = self.diff(self.runs[PLAIN], self.runs["--batch:32"]).stdout
        first, second = text.splitlines()[:2]
        self.assertIn("for 200.0 % of the FLOPs", first)
        self.assertIn("differs: other sizes", second)

    def test_other_models_and_inference_are_refused(self):
        for new, why in ((CONVNET, "another model"), (LSTM, "another model"),
                         (INFERENCE, "training against inference")):
            with self.subTest(new):
                refused = self.diff(self.runs[PLAIN], self.runs[new], code=3)
                self.assertIn(why, refused.stderr)
                self.assertEqual(refused.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
