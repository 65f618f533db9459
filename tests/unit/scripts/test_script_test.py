#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test.sh ends with ctest's own closing lines and ctest's exit code."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

CTEST = """\
#!/bin/sh
echo "$@" > args
cat <<'END'
 1/12 Test  #1: quick ......................   Passed    0.01 sec
 2/12 Test  #2: slow .......................   Passed   10.50 sec
 3/12 Test #13: broken .....................***Failed    2.00 sec

66% tests passed, 1 tests failed out of 3

Total Test time (real) =   4.50 sec

The following tests FAILED:
\t 13 - broken (Failed)
END
echo "Errors while running CTest" >&2
exit 8
"""


class TestScriptTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="test_script_test.")
        self.addCleanup(scratch.cleanup)
        self.clone = pathlib.Path(scratch.name)
        (self.clone / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/test.sh", self.clone / "scripts")
        self.program("scripts/build.sh", "#!/bin/sh\nexit 0\n")
        self.program("bin/ctest", CTEST)

    def program(self, path, text):
        (self.clone / path).parent.mkdir(exist_ok=True)
        (self.clone / path).write_text(text)
        (self.clone / path).chmod(0o755)

    def run_tests(self, *options):
        path = f"{self.clone / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            [self.clone / "scripts/test.sh", *options], text=True, check=False,
            capture_output=True, env=dict(os.environ, PATH=path))

    def test_exit_code_and_last_lines_are_those_of_ctest(self):
        done = self.run_tests()
        self.assertEqual(done.returncode, 8)
        self.assertTrue(done.stdout.endswith(
            "66% tests passed, 1 tests failed out of 3\n\n"
            "Total Test time (real) =   4.50 sec\n\n"
            "The following tests FAILED:\n\t 13 - broken (Failed)\n"
            "Errors while running CTest\n"), done.stdout)

    def test_slowest_tests_come_first(self):
        shown = self.run_tests().stdout
        table = shown[shown.index("Slowest tests:"):shown.index("66%")]
        self.assertEqual([line.split() for line in table.splitlines()[1:4]],
                         [["10.50", "s", "slow"], ["2.00", "s", "broken"],
                          ["0.01", "s", "quick"]])

    def test_options_reach_ctest(self):
        self.run_tests("-R", "trace reader")
        args = (self.clone / "args").read_text()
        self.assertIn("-R trace reader", args)

    def test_nothing_is_tested_when_the_build_fails(self):
        self.program("scripts/build.sh", "#!/bin/sh\nexit 3\n")
        done = self.run_tests()
        self.assertEqual((done.returncode, done.stdout), (3, ""))


if __name__ == "__main__":
    unittest.main()
