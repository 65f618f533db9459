#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, by a real pytest in processes of its own.

usage: pytest_plugin_test.py DLTAP PLUGIN_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DLTAP, PLUGIN_FOLDER = sys.argv[1:3]
PROGRAMS = pathlib.Path(__file__).parent / "programs"
TESTS = """
import pytest
import products

@pytest.mark.dltap("launches", "syncs", "peak_memory", "step_ms")
def test_products():
    products.train(gemms={gemms}, syncs=1)

@pytest.fixture
def warm():
    products.train(gemms=1, syncs=0)

@pytest.mark.dltap("syncs")
@pytest.mark.skipif("not os.environ.get('DLTAP_SIM_GPU')")
def test_waits(warm):
    products.train(gemms=2, syncs={syncs})

def test_other():
    assert {works}
"""


class PluginTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pytest(self, *options: str, code=0, gemms=2, syncs=1, works=True):
        (self.folder / "test_it.py").write_text(
            TESTS.format(gemms=gemms, syncs=syncs, works=works))
        path = os.pathsep.join([str(PROGRAMS), PLUGIN_FOLDER])
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p",
             "dltap.pytest_plugin", f"--dltap-program={DLTAP}", *options],
            cwd=self.folder, text=True, capture_output=True,
            env={**os.environ, "PYTHONPATH": path,
                 "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_another_root_directory_is_all_the_same(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.pytest("--dltap-update", "--rootdir", str(elsewhere))
        self.assertIn("3 passed", self.pytest("--dltap", "--rootdir",
                                              str(elsewhere)))

    def test_marked_tests_are_held_against_their_baseline(self):
        self.pytest("--dltap-update")
        self.assertIn("3 passed", self.pytest("--dltap"))
        worse = self.pytest("--dltap", code=1, gemms=3)
        self.assertIn("fails launches>0", worse)
        self.assertIn("1 failed, 2 passed", worse)
        waits = self.pytest("--dltap", code=1, syncs=2)
        self.assertIn("fails syncs>0", waits)

    def test_without_a_baseline_the_test_fails_and_says_so(self):
        self.assertIn("--update adds it", self.pytest("--dltap", code=1))

    def test_without_the_option_a_marked_test_is_an_ordinary_one(self):
        # No GPU: its libraries are not there, or refuse.
        out = self.pytest("-k", "other", "--strict-markers")
        self.assertIn("1 passed, 2 deselected", out)
        self.assertIn("1 failed",
                      self.pytest("-k", "other", code=1, works=False))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
