#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dltap ci: a baseline is the same in every run, and a change is named.

usage: ci_test.py DLTAP
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DLTAP = sys.argv[1]
PROGRAM = str(pathlib.Path(__file__).parent / "programs" / "products.py")


class CiTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.baseline = self.folder / "dltap-baseline.json"

    def ci(self, *options: str, code=0, gemms=3, syncs=1, **variables):
        done = subprocess.run(
            [DLTAP, "ci", "--name", "products", *options, "--",
             sys.executable, PROGRAM, str(gemms), str(syncs)],
            cwd=self.folder, text=True, capture_output=True,
            env={**os.environ, "TMPDIR": str(self.folder), **variables})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_a_second_run_writes_the_same_bytes(self):
        self.ci("--update", "--gpu", "h100-sxm", "--gpu", "a100-40-sxm")
        first = self.baseline.read_bytes()
        self.ci("--update", "--gpu", "h100-sxm", "--gpu", "a100-40-sxm")
        self.assertEqual(self.baseline.read_bytes(), first)
        gpus = json.loads(first)["programs"]["products"]
        self.assertEqual(sorted(gpus), ["a100-40-sxm", "h100-sxm"])
        of_h100 = gpus["h100-sxm"]["quantities"]
        self.assertEqual(of_h100["class.gemm.calls"], 3)
        self.assertEqual(of_h100["syncs"], 1)
        self.assertLess(of_h100["step_ms"],
                        gpus["a100-40-sxm"]["quantities"]["step_ms"])
        # Traces are gone.
        self.assertEqual(os.listdir(self.folder), ["dltap-baseline.json"])

    def test_what_gets_worse_fails_and_is_named(self):
        self.ci("--update")
        same = self.ci()
        self.assertIn("h100-sxm: no change", same.stdout)
        worse = self.ci(code=1, gemms=4, syncs=2)
        for words in ("class.gemm.", "fails launches>0", "fails syncs>0",
                      "syncs +1", "step +"):
            self.assertIn(words, worse.stdout)
        self.ci("--fail-on", "syncs>0", gemms=4)
        better = self.ci(gemms=2)
        self.assertIn("step -", better.stdout)

    def test_what_cannot_be_compared_is_refused(self):
        self.assertIn("--update adds it", self.ci(code=3).stderr)
        self.ci("--update")
        document = json.loads(self.baseline.read_text())
        run = document["programs"]["products"]["h100-sxm"]
        run["made_with"]["dltap"] = "0.0.1"
        self.baseline.write_text(json.dumps(document))
        self.assertIn("dltap 0.0.1 against", self.ci(code=3).stderr)
        self.ci("--force")
        self.baseline.write_text("{}")
        self.ci(code=3)
        self.ci("--fail-on", "stepms>1%", code=2)
        self.ci("--fail-on", "utilization<50%", code=2)

    def test_a_rule_that_cannot_be_judged_is_not_passed(self):
        self.ci("--update")
        unknown = self.ci("--fail-on", "peak_tensors>0", code=3)
        self.assertIn("unknown peak_tensors>0", unknown.stdout)
        self.ci("--gpu", "sim:h100-sxm")

    def test_a_run_without_all_its_records_is_not_judged(self):
        lossy = {"DLTAP_SIM_FAULTS": "record:7:drop"}
        done = self.ci("--update", code=3, **lossy)
        self.assertIn("records are missing (lost_records", done.stderr)
        self.assertFalse(self.baseline.exists())
        self.ci("--update")
        self.ci(code=3, **lossy)

    def test_the_level_of_the_shell_is_not_the_baselines(self):
        self.ci("--update")
        self.assertIn("no change", self.ci(DLTAP_LEVEL="host").stdout)

    def test_a_program_that_fails_writes_no_baseline(self):
        done = self.ci("--update", code=3, gemms="none")
        self.assertIn("ended with exit code 1", done.stderr)
        self.assertFalse(self.baseline.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
