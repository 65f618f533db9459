# SPDX-License-Identifier: Apache-2.0
"""steps_test.py PYTHON: each run of a session is a step, whatever it is made
of, and all of ONNX Runtime's kernels have a class."""

import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "endtoend"))
import chain  # noqa: E402

chain.TIMEOUT_S = 600  # on a machine with other work

PYTHON = sys.argv[1] if len(sys.argv) > 1 else ""
RUNS = 25  # as in inference.py


class StepsTest(unittest.TestCase):
    def report(self, name):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run_tapped(
                [PYTHON, HERE / "inference.py", name], trace,
                ["--no-report", "--sim-clock", "virtual"],
                PYTHONPATH=str(HERE.parent / "support"))
            report = chain.report(trace)
        self.assertEqual(report["trust"]["lost_records"], 0)
        classes = {row["class"] for row in report["classes"]}
        self.assertNotIn("unattributed", classes)
        return report

    def test_each_run_is_a_step(self):
        for name in ("images", "sentences", "one_after_the_other", "graph"):
            with self.subTest(name):
                self.assertEqual(self.report(name)["steps"]["count"], RUNS)

    def test_runs_of_threads_at_once_are_counted_by_thread(self):
        self.assertEqual(self.report("threads")["steps"]["threads_at_once"],
                         4 * [RUNS])


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        print("skipped: ONNX Runtime is not set up")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
