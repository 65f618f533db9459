#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deb_test.py BUILD-FOLDER: the Debian package is one that lintian accepts, and
its program runs from it. Where there is no lintian, only the latter."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*command, **how):
    return subprocess.run([str(c) for c in command], text=True,
                          capture_output=True, check=False, **how)


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "not a Debian with dpkg-dev")
class DebTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="deb_test.")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        made = run("cpack", "--config", BUILD / "CPackDeb.cmake",
                   "-B", cls.scratch / "made", cwd=cls.scratch)
        if made.returncode != 0:
            raise RuntimeError(made.stdout + made.stderr)
        (cls.package,) = (cls.scratch / "made").glob("*.deb")

    def test_none_is_made_that_depends_on_nothing(self):
        bare = self.scratch / "bare"
        bare.mkdir()
        made = run(shutil.which("cpack"), "--config",
                   BUILD / "CPackDeb.cmake", "-B", self.scratch / "unmade",
                   cwd=self.scratch, env=os.environ | {"PATH": str(bare)})
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("no dpkg-shlibdeps here", made.stdout + made.stderr)
        self.assertEqual(list(self.scratch.glob("unmade/*.deb")), [])

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian_accepts_it(self):
        judged = run("lintian", "--fail-on", "error", self.package)
        self.assertEqual(judged.returncode, 0, judged.stdout)

    def test_its_program_runs_and_finds_the_simulation(self):
        root = self.scratch / "root"
        unpacked = run("dpkg-deb", "-x", self.package, root)
        self.assertEqual(unpacked.returncode, 0, unpacked.stderr)
        done = run(root / "usr/bin/dltap", "run", "--no-report", "--gpu",
                   "sim:h100-sxm", "-o", self.scratch / "trace", "--",
                   BUILD / "tests/workloads/cnn", "--steps", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = run(root / "usr/bin/dltap", "report", self.scratch / "trace")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("CONV", told.stdout)

    def test_it_depends_on_what_it_does_not_bring(self):
        needs = run("dpkg-deb", "-f", self.package, "Depends").stdout
        self.assertIn("libsimdjson14", needs)
        held = run("dpkg-deb", "-c", self.package).stdout
        self.assertIn("/usr/lib/dltap/libdltap.so", held)
        self.assertNotIn("libsimdjson", held)


if __name__ == "__main__":
    unittest.main()
