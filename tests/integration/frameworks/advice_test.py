# SPDX-License-Identifier: Apache-2.0
"""advice_test.py PYTHON: seeded programs in TensorFlow, by that interpreter. The
advice that comes first is the bug's, in the framework's own words, and its
repaired twin saves what was promised."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]
                       / "endtoend"))
import chain  # noqa: E402

chain.TIMEOUT_S = 600  # on a machine with other work

PYTHON = sys.argv[1] if len(sys.argv) > 1 else ""
PROGRAM = chain.SCRIPTS / "seeded" / "tensorflow_bugs.py"
STEPS = "40"  # the first ones of `feed` find batches that were copied before
# The rule, and words of its advice.
BUGS = {
    "fp32": ("tensor_cores", "mixed_bfloat16"),
    "fp64": ("fp64", "tf.float32"),
    "feed": ("copy_overlap", "prefetch_to_device"),
    "cells": ("rnn_loop", "keras.layers.LSTM"),
}


def report_of(*words: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        chain.run_tapped(
            [PYTHON, PROGRAM, *words, "--steps", STEPS], trace,
            ["--sim-clock", "virtual", "--no-report"],
            DLTAP_SIM_MEMORY_GB="16", TF_CPP_MIN_LOG_LEVEL="2")
        return chain.report(trace)


class AdviceTest(unittest.TestCase):

    def test_the_bug_is_named_and_its_twin_saves_what_was_promised(self):
        for name, (rule, text) in BUGS.items():
            with self.subTest(name):
                bug, twin = report_of(name, "--bug"), report_of(name)
                first = bug["advice"][0]
                self.assertEqual(first["id"], rule)
                self.assertIn(text, first["text"])
                saved = bug["steps"]["mean_ns"] - twin["steps"]["mean_ns"]
                self.assertLessEqual(first["gain_low_ns"], saved)
                self.assertGreaterEqual(first["gain_high_ns"], saved)
                self.assertNotIn(rule, [a["id"] for a in twin["advice"]])


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        print("skipped: TensorFlow is not set up")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
