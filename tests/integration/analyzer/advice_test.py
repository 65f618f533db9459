# SPDX-License-Identifier: Apache-2.0
"""Seeded programs and their repaired twins, through the whole chain: what is
wrong is advised first, the twin saves what was promised, and programs with
nothing wrong are left alone. On the virtual clock: no number is the machine's.
"""

import pathlib
import re
import sys
import tempfile
import unittest
from concurrent import futures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "endtoend"))
import chain  # noqa: E402

chain.TIMEOUT_S = 900  # on a machine with other work

SEEDED = chain.SCRIPTS / "seeded"
STEPS = 6
AT_ONCE = 2
GROUPS = 6
HEALTHY = ["healthy_resnet", "healthy_transformer", "healthy_lstm",
           "healthy_mlp", "healthy_inference", "healthy_tied", "healthy_unet"]
# The rule that must come first, of each program with a bug.
RULES = {
    "tensor_cores": "tensor_cores",
    "autocast": "tensor_cores",
    "fp64": "fp64",
    "optimizer": "optimizer",
    "optimizer_lists": "optimizer",
    "momentum": "optimizer",
    "attention": "attention",
    "attention_fp32": "attention",
    "rnn_loop": "rnn_loop",
    "autotune": "autotune",
    "layout": "layout",
    "cast": "cast",
    "checkpoint": "checkpoint",
    "pointwise": "pointwise",
    "embedding": "embedding",
    "skip_gram": "embedding",
    "contrastive": "tensor_cores",
    "pageable": "pageable",
    "copy_overlap": "copy_overlap",
    "kv_cache": "grown_caches",
    "anomaly": "gradient_checks",
    "zero_grad": "zeroed_gradients",
    "frozen": "unused_gradients",
    "tables": "many_tables",
    "one_hot": "one_hot",
    "logits": "wide_logits",
    "no_cudnn": "unfolded_convolutions",
    "odd_sizes": "odd_sizes",
    "no_cache": "repeated_tokens",
    "masks": "pageable",
    "bias": "norm_biases",
    "double_softmax": "double_softmax",
    "grown": "grown_arrays",
    "one_by_one": "single_passes",
    "heads": "split_products",
    "augment": "stacked_samples",
    "deterministic": "overwritten_fills",
    "experts": "expert_loop",
    "row_losses": "double_softmax",
    "parts": "single_passes",
    "mixture": "shared_experts",
    "top_items": "sorted_tops",
    "penalty": "weight_penalties",
}
# Copies that run ahead are all over before the last steps; that rows grow is
# seen when they have grown a few times.
MORE_STEPS = {"copy_overlap": 24, "no_cache": 24}
RAN = re.compile(r"^(\S+) (\d+)$", re.M)


def programs() -> list[str]:
    bugs = [words for name in RULES for words in (f"{name}:--bug", name)]
    return [f"{words}:--steps:{steps_of(words)}" for words in bugs + HEALTHY]


def steps_of(words: str) -> int:
    return MORE_STEPS.get(words.partition(":")[0], STEPS)


def reports_of(programs: list[str]) -> dict[str, dict]:
    """One process after the other, PyTorch imported once."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        done = chain.run_tapped(
            [sys.executable, SEEDED / "run_each.py", *programs], trace,
            ["--sim-clock", "virtual", "--no-report"])
        reports = {}
        for words, pid in RAN.findall(done.stdout):
            (file,) = trace.glob(f"*-{pid}-*.dltap")
            name = words.partition(":--steps:")[0]
            reports[name] = chain.report(file)
    return reports


@chain.needs_torch
class AdviceTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        groups = [programs()[i::GROUPS] for i in range(GROUPS)]
        cls.reports = {}
        with futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for reports in pool.map(reports_of, groups):
                cls.reports |= reports

    def step_ns(self, name: str) -> float:
        return self.reports[name]["steps"]["mean_ns"]

    def advised(self, name: str) -> list[str]:
        return [advice["id"] for advice in self.reports[name]["advice"]]

    def test_all_have_run_and_have_steps(self):
        self.assertEqual(len(self.reports), 2 * len(RULES) + len(HEALTHY))
        for name, report in self.reports.items():
            with self.subTest(name):
                self.assertGreaterEqual(report["steps"]["count"], STEPS)

    def test_the_bug_is_the_first_advice(self):
        for name, rule in RULES.items():
            with self.subTest(name):
                self.assertEqual(self.advised(f"{name}:--bug")[:1], [rule])

    def test_the_twin_is_not_advised_the_same(self):
        for name, rule in RULES.items():
            with self.subTest(name):
                self.assertNotIn(rule, self.advised(name))

    def test_the_twin_saves_what_was_promised(self):
        for name, rule in RULES.items():
            advice = self.reports[f"{name}:--bug"]["advice"][0]
            saved = self.step_ns(f"{name}:--bug") - self.step_ns(name)
            with self.subTest(name):
                self.assertEqual(advice["id"], rule)
                self.assertLessEqual(advice["gain_low_ns"], saved)
                self.assertGreaterEqual(advice["gain_high_ns"], saved)

    def test_healthy_programs_are_left_alone(self):
        for name in HEALTHY:
            with self.subTest(name):
                self.assertEqual(self.advised(name), [])


class RanksAdvice:
    """Two ranks. Both run the same program, so that their virtual clocks
    agree. How much of an overlapped collective is hidden differs from run to
    run, as the processes meet in real time: of three runs the middle one
    counts."""
    program: str
    rule: str
    gpu: str

    @classmethod
    def setUpClass(cls):
        cls.bug = cls.report("--bug")
        twins = sorted((cls.report() for _ in range(3)),
                       key=lambda report: report["steps"]["mean_ns"])
        cls.twin = twins[1]

    @classmethod
    def report(cls, *options: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run([chain.DLTAP, "run", "--gpu", cls.gpu, "--gpus", "2",
                       "--sim-clock", "virtual", "--no-report", "-o", trace,
                       "--", sys.executable, "-m", "torch.distributed.run",
                       "--standalone", "--nproc-per-node", "2",
                       SEEDED / f"{cls.program}.py", "--steps", "10",
                       *options],
                      chain.simulated_environment())
            return chain.report(trace)

    def test_the_bug_is_the_first_advice(self):
        self.assertEqual([a["id"] for a in self.bug["advice"]][:1],
                         [self.rule])

    def test_the_twin_is_not_advised_the_same(self):
        self.assertNotIn(self.rule, [a["id"] for a in self.twin["advice"]])

    def test_the_twin_saves_what_was_promised(self):
        advice = self.bug["advice"][0]
        saved = self.bug["steps"]["mean_ns"] - self.twin["steps"]["mean_ns"]
        self.assertLessEqual(advice["gain_low_ns"], saved)
        self.assertGreaterEqual(advice["gain_high_ns"], saved)


@chain.needs_torch
class LateCollectivesTest(RanksAdvice, unittest.TestCase):
    """On a GPU without NVLink, whose copies are slow enough."""
    program, rule, gpu = "comm", "comm", "sim:l40s"


@chain.needs_torch
class GradientSendsTest(RanksAdvice, unittest.TestCase):
    program, rule, gpu = "accumulate", "gradient_sends", "sim:h100-sxm"


@chain.needs_torch
class WideGradientsTest(RanksAdvice, unittest.TestCase):
    program, rule, gpu = "wide_gradients", "wide_gradients", "sim:l40s"


if __name__ == "__main__":
    unittest.main()
