# SPDX-License-Identifier: Apache-2.0
"""User programs, bare and tapped: nothing changes for them, nothing is missed.

Usage: programs_test.py [-v] cpp|python
"""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "frameworks"))
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import call_counts  # noqa: E402
import chain  # noqa: E402
import report_faces  # noqa: E402

LIBRARY_CLASSES = {"conv", "rnn", "attention", "gemm", "norm", "pool"}

CPP = {
    "cnn": chain.cpp("cnn"),
    "cnn_graph": chain.cpp("cnn", "--capture"),
    "lstm": chain.cpp("lstm"),
    "lstm_graph": chain.cpp("lstm", "--capture"),
    "transformer": chain.cpp("transformer"),
    "transformer_graph": chain.cpp("transformer", "--capture"),
    "transformer_cudnn": chain.cpp("transformer", "--attention", "cudnn"),
}
PYTHON = {
    "resnet": chain.script("train_resnet.py", "--batch", "8", "--size", "64",
                           classes=("conv", "norm", "gemm")),
    "lstm_lm": chain.script("train_lstm_lm.py", "--hidden", "256", "--words",
                            "2000", classes=("rnn", "gemm")),
    "transformer": chain.script("train_transformer.py", "--layers", "2",
                                "--seq", "128", "--words", "4000",
                                classes=("gemm",)),
    "transformer_bf16": chain.script("train_transformer.py", "--layers", "2",
                                     "--seq", "128", "--words", "4000",
                                     "--bf16", classes=("gemm", "attention")),
    "dcgan": chain.script("train_dcgan.py", "--batch", "16",
                          classes=("conv", "norm")),
    "a3c": chain.script("train_a3c.py", "--rollout", "5",
                        classes=("conv", "gemm")),
}


class Runs:
    """One program: run bare, run tapped, reported. Kept for all its tests."""

    def __init__(self, program: chain.Program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.trace = pathlib.Path(self.folder.name, "trace")
        counts = pathlib.Path(self.folder.name, "counts")
        bare_counts = pathlib.Path(self.folder.name, "bare_counts")
        self.bare = chain.run_bare(program.command, check=False,
                                   DLTAP_SIM_COUNTS=str(bare_counts))
        self.tapped = chain.run_tapped(program.command, self.trace,
                                       check=False,
                                       DLTAP_SIM_COUNTS=str(counts))
        self.simulated = call_counts.read_simulated([counts])
        self.simulated_bare = call_counts.read_simulated([bare_counts])
        self.seen = chain.seen_by_tap(self.trace)
        self.report = chain.report(self.trace)


@functools.cache
def runs_of(program: chain.Program) -> Runs:
    return Runs(program)


class ProgramCase:
    """What holds for every program; a subclass names it."""
    program: chain.Program

    @property
    def runs(self) -> Runs:
        return runs_of(self.program)

    def test_program_does_not_notice(self):
        self.assertEqual(self.runs.bare.returncode, 0, self.runs.bare.stderr)
        self.assertEqual(self.runs.tapped.returncode, 0,
                         self.runs.tapped.stderr)
        self.assertEqual(self.runs.bare.stdout, self.runs.tapped.stdout)
        self.assertRegex(self.runs.bare.stdout, r"loss [-+.\dna]+")

    def test_every_call_is_seen(self):
        rows = call_counts.compare(
            self.runs.simulated, self.runs.simulated_bare, self.runs.seen,
            call_counts.read_roles(chain.BUILD / "generated"),
            call_counts.called_by_tap(chain.SOURCE))
        self.assertGreater(len(rows), 20)
        self.assertEqual([r for r in rows if r.verdict == "different"], [])

    def test_every_launch_has_its_kernel(self):
        trust = self.runs.report["trust"]
        self.assertEqual(trust["launches_without_kernel"], 0)
        self.assertEqual(trust["kernels_without_launch"], 0)
        self.assertEqual([k for k, n in trust["lost"].items() if n], [])

    def test_gpu_time_is_classified(self):
        self.assertGreaterEqual(self.runs.report["trust"]["classified_share"],
                                0.98)

    def test_library_classes_come_from_library_calls(self):
        rows = chain.class_rows(self.runs.report)
        for name in self.program.library_classes:
            by_call = (rows[name]["class_from"].get("api_arguments", 0) +
                       rows[name]["class_from"].get("cudnn_graph", 0))
            self.assertGreater(by_call, 0.9 * rows[name]["gpu_ns"], name)

    def test_steps_are_found(self):
        steps = self.runs.report["steps"]
        used = sum(last - first + 1 for first, last in steps["used"])
        self.assertLessEqual(abs(steps["count"] - self.program.steps), 1)
        self.assertGreaterEqual(used, self.program.steps // 2)
        self.assertLessEqual(used, self.program.steps)

    def test_text_csv_and_json_say_the_same(self):
        faces = report_faces.Faces(chain.DLTAP, [self.runs.trace])
        self.assertEqual(faces.disagreements(), [])

    def test_trace_tells_the_command_and_the_libraries(self):
        told = chain.dltap("info", self.runs.trace).stdout
        program, *arguments = self.program.command
        command = " ".join([pathlib.Path(program).name, *arguments])
        self.assertIn(f"  command    {command}\n", told)
        self.assertRegex(told, r"  libraries  cuda \d+\.\d+, cudart \d+\.\d+")
        for device in self.runs.report["devices"]:
            self.assertIn(f", simulated, UUID {device['uuid']}\n", told)

    def test_report_fits_its_width(self):
        text = chain.dltap("report", self.runs.trace).stdout
        self.assertIn("(simulated)", text)
        self.assertEqual([l for l in text.splitlines() if len(l) > 100], [])


class CountedCase(ProgramCase):
    """C++ programs know how often they call what."""

    @functools.cached_property
    def expected(self) -> dict:
        return chain.expectation(self.program.command)

    def test_functions_are_called_as_often_as_the_program_says(self):
        enqueued = self.expected["enqueued_steps"]
        for symbol, calls in self.expected["functions_per_step"].items():
            # Copies fetch the losses too.
            at_least = calls * enqueued
            if symbol == "cudaMemcpyAsync":
                self.assertGreater(self.runs.seen[symbol], at_least)
            else:
                self.assertEqual(self.runs.seen[symbol], at_least, symbol)
        self.assertEqual(self.runs.seen["cudaGraphLaunch"],
                         self.expected["graph_launches"])

    def reported_steps(self, document) -> int:
        """All tables are over the steps used, or over the whole run."""
        used = document["steps"]["used"]
        if document["steps"]["found_by"] == "none":
            return self.program.steps
        return sum(last - first + 1 for first, last in used)

    def test_own_kernels_ran_as_often_as_the_program_says(self):
        document = self.runs.report
        steps = self.reported_steps(document)
        for stem, launches in self.expected["kernels_per_step"].items():
            self.assertEqual(chain.kernel_count(document, stem),
                             launches * steps, stem)

    def test_calls_per_class_are_those_of_the_program(self):
        document = chain.report(self.runs.trace, "--no-composite")
        rows = chain.class_rows(document)
        steps = self.reported_steps(document)
        for name, calls in self.expected["classes_per_step"].items():
            # In a replayed graph a captured call counts at each replay.
            self.assertEqual(rows[name]["calls"], calls * steps, name)
        found = {name for name in rows if name in LIBRARY_CLASSES}
        own = {"norm"} if "layer_norm_forward" in self.expected[
            "kernels_per_step"] else set()
        self.assertEqual(found - own, set(self.expected["classes_per_step"]))


class TorchCase(ProgramCase):
    """Scripts of PyTorch's."""

    def test_trace_tells_the_framework_as_it_is_installed(self):
        asked = subprocess.run(
            [self.program.command[0], "-c",
             "from importlib.metadata import version; print(version('torch'))"],
            capture_output=True, text=True, check=True).stdout.strip()
        told = json.loads(chain.dltap("info", "--json",
                                      self.runs.trace).stdout)
        self.assertEqual({process["framework"]
                          for process in told["processes"]},
                         {f"torch {asked}"})
        self.assertIn(f"torch {asked}",
                      chain.dltap("report", self.runs.trace).stdout)


def define(programs, base, decorate=lambda case: case):
    for name, program in programs.items():
        title = "".join(re.findall(r"\w+", name.title())) + "Test"
        case = type(title, (base, unittest.TestCase), {"program": program})
        globals()[title] = decorate(case)


if __name__ == "__main__":
    which = sys.argv.pop()
    if which == "cpp":
        define(CPP, CountedCase)
    else:
        define(PYTHON, TorchCase, chain.needs_torch)
    unittest.main()
