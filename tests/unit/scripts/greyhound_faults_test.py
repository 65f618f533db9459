# SPDX-License-Identifier: Apache-2.0
"""greyhound_faults.py: what a file of fail-slows is as DLTAP_SIM_FAULTS."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / \
    "greyhound_faults.py"


def converted(text: str, *options) -> subprocess.CompletedProcess:
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
        file.write(text)
        file.flush()
        return subprocess.run([sys.executable, SCRIPT, *options, file.name],
                              capture_output=True, text=True, check=False)


class GreyhoundFaultsTest(unittest.TestCase):
    def test_a_loaded_link_has_a_duration_a_delay_an_end(self):
        done = converted("comm;7;3;[2,0]\n\n20;50;[1,4];0.25\n",
                         "--step", "0.75", "--link", "0.25")
        self.assertEqual(done.stdout.strip(), "link:2-0@7-10:x0.25,"
                         "gpu:1@20-50:x0.75,gpu:4@20-50:x0.75")

    def test_what_is_no_fail_slow_is_named_by_its_line(self):
        for line in ("comm;7;3;[2]", "comm;7;3;[2,2]", "comm;7;0;[0,1]",
                     "comm;7;3", "5;2;[1];0.1", "1;2;[-1];0.1", "1;2;1;0.1",
                     "1;2;[1];x", "nan;2;[1];0.1"):
            done = converted(f"comm;1;1;[0,1]\n{line}\n", "--step", "1")
            self.assertEqual(done.returncode, 1, line)
            self.assertIn(":2: ", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_step_takes_time_and_a_link_keeps_something(self):
        for option in ("--step", "--link"):
            for value in ("0", "-1", "nan", "inf"):
                done = converted("1;2;[1];0.1\n", f"{option}={value}")
                self.assertEqual(done.returncode, 2, value)
                self.assertIn(option, done.stderr)

    def test_a_delay_needs_the_step(self):
        done = converted("1;2;[1];0.1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--step", done.stderr)


if __name__ == "__main__":
    unittest.main()
