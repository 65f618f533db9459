# SPDX-License-Identifier: Apache-2.0
"""loops_test.py PYTHON: of the loops of jax/loops.py the steps are those of the
training, and an evaluation behind each epoch is forward only."""

import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "endtoend"))
import chain  # noqa: E402

chain.TIMEOUT_S = 600  # on a machine with other work

PYTHON = sys.argv[1] if len(sys.argv) > 1 else ""
EPOCHS, STEPS = 4, 10  # as in jax/loops.py


class LoopsTest(unittest.TestCase):
    def check(self, name):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run_tapped([PYTHON, HERE / "jax/loops.py", name], trace,
                             ["--no-report"], TF_CPP_MIN_LOG_LEVEL="2")
            report = chain.report(trace)
        left_out = {row["reason"]: row["steps"] for row in report["left_out"]}
        self.assertEqual(left_out.get("forward_only"), EPOCHS, report["steps"])
        self.assertEqual(report["steps"]["count"], EPOCHS * (STEPS + 1))

    def test_the_function_of_the_gradient_evaluates(self):
        self.check("evaluated_by_the_gradient")

    def test_an_epoch_is_one_scan(self):
        self.check("scanned")


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        print("skipped: JAX is not set up")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
