# SPDX-License-Identifier: Apache-2.0
"""The driver loads the tap where CUDA_INJECTION64_PATH names it."""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

TAP = chain.BUILD / "lib" / "libdltap.so"
PROGRAM = chain.cpp("cnn", steps=6)


class InjectionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def launched(self, document):
        return sum(row["kernels"] for row in document["classes"])

    def preloaded(self, **variables):
        trace = self.folder / "preloaded"
        chain.run_tapped(PROGRAM.command, trace, **variables)
        return chain.report(trace, "--window", "all")

    def injected(self, path=TAP, **variables):
        trace = self.folder / "injected"
        ran = chain.run_bare(PROGRAM.command, CUDA_INJECTION64_PATH=str(path),
                             DLTAP_OUTPUT=str(trace), **variables)
        return trace, ran

    def test_kernels_are_recorded_and_the_report_says_that_calls_are_not(self):
        trace, ran = self.injected()
        bare = chain.run_bare(PROGRAM.command)
        self.assertEqual(ran.stdout, bare.stdout)
        document = chain.report(trace, "--window", "all")
        self.assertEqual(self.launched(document),
                         self.launched(self.preloaded()))
        self.assertEqual(document["apis"], [])
        # What is simulated says so, whichever way it was recorded.
        self.assertTrue(document["source"]["simulated"])
        self.assertIn("H100", document["devices"][0]["name"])
        trust = document["trust"]
        self.assertEqual(trust["level"], "kernels")
        self.assertIn("LD_PRELOAD", trust["why"])
        self.assertIn("LD_PRELOAD", chain.dltap("report", trace).stdout)
        self.assertEqual(sum(trust["lost"].values()), 0)

    def test_beside_a_preload_it_does_nothing(self):
        alone = self.preloaded()
        shutil.rmtree(self.folder / "preloaded")
        both = self.preloaded(CUDA_INJECTION64_PATH=str(TAP))
        self.assertEqual(self.launched(both), self.launched(alone))
        calls = {row["name"]: row["calls"] for row in alone["apis"]}
        self.assertEqual({row["name"]: row["calls"] for row in both["apis"]},
                         calls)
        self.assertIsNone(both["trust"]["why"])

    def test_a_second_copy_does_nothing(self):
        copy = self.folder / "libdltap.so"
        shutil.copy(TAP, copy)
        alone = self.preloaded()
        shutil.rmtree(self.folder / "preloaded")
        # The first copy takes the second for another tool, and yields to it.
        both = self.preloaded(CUDA_INJECTION64_PATH=str(copy))
        calls = {row["name"]: row["calls"] for row in alone["apis"]}
        self.assertEqual({row["name"]: row["calls"] for row in both["apis"]},
                         calls)

    def test_disabled_it_records_nothing(self):
        trace, _ = self.injected(DLTAP_DISABLE="1")
        self.assertFalse(trace.exists())

    def test_a_tool_that_is_not_there_is_passed_over(self):
        _, ran = self.injected(path=self.folder / "nothing.so")
        self.assertEqual(ran.stdout,
                         chain.run_bare(PROGRAM.command).stdout)


if __name__ == "__main__":
    unittest.main()
