#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""score_rules.py counts by hand: one trace, four kernels.

    score_rules_test.py DLTAP
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DLTAP = sys.argv.pop(1)


def operator(name, begin, external):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
            "ts": begin, "dur": 9, "args": {"External id": external}}


def kernel(name, begin, us, external=0):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
            "ts": begin, "dur": us,
            "args": {"device": 0, "stream": 7, "External id": external}}


# Operators give a GEMM of 30 us and a normalisation of 10 us; the name of the
# latter's kernel says GEMM. Ten microseconds have no operator.
EVENTS = [
    operator("aten::mm", 0, 1), kernel("ampere_sgemm_32x32_nn", 100, 30, 1),
    operator("aten::native_layer_norm", 20, 2),
    kernel("ampere_sgemm_64x64_nn", 200, 10, 2),
    kernel("ampere_sgemm_64x64_nn", 300, 10)]


class ScoreRulesTest(unittest.TestCase):
    def score(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace.json")
            trace.write_text(json.dumps({"traceEvents": EVENTS}))
            return subprocess.run(
                [sys.executable, ROOT / "scripts/score_rules.py", "--dltap",
                 DLTAP, *options, folder], capture_output=True, text=True,
                check=True).stdout

    def test_names_are_scored_against_operators(self):
        result = json.loads(self.score("--json"))
        row, = result["files"].values()
        self.assertEqual(row["kernels"], 3)
        self.assertAlmostEqual(row["without_operator_us"], 10)
        by_name = result["by_name"]
        self.assertAlmostEqual(by_name["us"], 40)
        self.assertAlmostEqual(by_name["right"], 30 / 40)
        self.assertAlmostEqual(by_name["classes"]["gemm"]["recall"], 1)
        self.assertAlmostEqual(by_name["classes"]["gemm"]["precision"], 30 / 40)
        self.assertEqual(by_name["classes"]["norm"]["recall"], 0)
        self.assertIsNone(by_name["classes"]["norm"]["precision"])
        self.assertEqual(by_name["wrong"],
                         [{"truth": "norm", "guess": "gemm", "us": 10}])
        self.assertAlmostEqual(result["by_all"]["right"], 1)

    def test_text_names_what_is_taken_for_what(self):
        text = self.score()
        self.assertIn("by name alone: 75.0 % of 0.04 ms right", text)
        self.assertIn("norm taken for gemm: 0.010 ms", text)


if __name__ == "__main__":
    unittest.main()
