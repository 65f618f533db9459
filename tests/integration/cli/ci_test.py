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

    def test_a_baseline_with_a_quantity_of_another_dltap_is_refused(self):
        self.ci("--update")
        document = json.loads(self.baseline.read_text())
        run = document["programs"]["products"]["h100-sxm"]
        run["quantities"]["launchez"] = 3
        self.baseline.write_text(json.dumps(document))
        self.assertIn("launchez is unknown here", self.ci(code=3).stderr)
        self.assertIn("no change", self.ci("--force").stdout)

    def test_what_is_no_baseline_is_said_before_the_program_runs(self):
        for text, words in (("{}", "no baseline"),
                            ("<<<<<<< ours\n{}\n=======\n", "merge"),
                            ('{"schema": "dltap.baseline", "version": 9}',
                             "version 9")):
            self.baseline.write_text(text)
            with self.subTest(text):
                done = self.ci("--update", code=4 if "9" in text else 3,
                               gemms="none")
                self.assertIn(words, done.stderr)
                self.assertEqual(self.baseline.read_text(), text)
        for path in (self.folder, "/dev/null", "missing/folder/b.json",
                     300 * "a"):
            with self.subTest(path):
                done = self.ci("--update", "--baseline", str(path), code=3,
                               gemms="none")
                self.assertNotIn("exit code 1", done.stderr)
        self.assertTrue(os.path.exists("/dev/null"))
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_gpus_are_known_and_told_apart_before_the_program_runs(self):
        typo = self.ci("--gpu", "h100-sxm", "--gpu", "h100-sxn", code=2,
                       gemms="none")
        self.assertIn("h100-sxm", typo.stderr)
        self.ci("--update", "--gpu", "h100-sxm", "--gpu", "sim:h100-sxm")

    def test_a_program_without_work_of_a_gpu_is_said_to_have_none(self):
        done = subprocess.run([DLTAP, "ci", "--update", "--", "true"],
                              cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("true: no work of a GPU on h100-sxm", done.stderr)
        self.assertNotIn("dltap-ci-", done.stderr)  # gone already
        self.assertFalse(self.baseline.exists())

    def test_a_baseline_that_is_a_link_stays_one(self):
        self.ci("--update")
        target = self.baseline.rename(self.folder / "kept.json")
        self.baseline.symlink_to(target.name)
        self.ci("--update")
        self.assertTrue(self.baseline.is_symlink())
        self.assertFalse(target.is_symlink())

    def test_runs_side_by_side_keep_what_the_others_wrote(self):
        names = [f"program {i}" for i in range(4)]
        running = [subprocess.Popen(
            [DLTAP, "ci", "--update", "--name", name, "--", sys.executable,
             PROGRAM, "1", "0"], cwd=self.folder, stdout=subprocess.DEVNULL)
            for name in names]
        self.assertEqual([each.wait() for each in running], 4 * [0])
        document = json.loads(self.baseline.read_text())
        self.assertEqual(sorted(document["programs"]), names)
        self.assertEqual(os.listdir(self.folder), [self.baseline.name])

    def test_a_program_that_fails_writes_no_baseline(self):
        done = self.ci("--update", code=3, gemms="none")
        self.assertIn("ended with exit code 1", done.stderr)
        self.assertFalse(self.baseline.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
