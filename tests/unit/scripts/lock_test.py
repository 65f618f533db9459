#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lock.py keeps what a lock names, and writes what pip found."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import lock  # noqa: E402

OLD = """\
torch==2.11.0 \\
    --hash=sha256:00
typing_extensions==4.16.0 \\
    --hash=sha256:11
"""


class LockTest(unittest.TestCase):
    def test_versions_stay_unless_given(self):
        self.assertEqual(lock.wanted(OLD, ["Typing-Extensions==5.0"]),
                         ["torch==2.11.0", "Typing-Extensions==5.0"])

    def test_new_package_is_added_in_order(self):
        self.assertEqual(lock.wanted(OLD, ["numpy==2.4.6"])[0], "numpy==2.4.6")

    def test_change_without_version_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "NAME==VERSION"):
            lock.wanted(OLD, ["numpy"])

    def test_what_has_no_wheel_stays_so(self):
        self.assertEqual(lock.source_options("--no-binary=b\n" + OLD),
                         ["--no-binary=b"])
        self.assertEqual(lock.wanted("--no-binary=b\n" + OLD, []),
                         lock.wanted(OLD, []))

    def test_report_becomes_names_and_hashes_only(self):
        report = {"install": [{
            "metadata": {"name": "libclang", "version": "18.1.1"},
            "download_info": {"url": "https://index.example/libclang.whl",
                              "archive_info": {"hashes": {"sha256": "ab"}}}}]}
        self.assertEqual(lock.lock_text(report),
                         "libclang==18.1.1 \\\n    --hash=sha256:ab\n")

    def test_locks_of_the_project_hold_no_address(self):
        for path in (ROOT / "third_party").glob("*.lock"):
            for line in path.read_text().splitlines():
                self.assertRegex(
                    line, r"^[\w.-]+==[\w.]+ \\$|^    --hash=sha256:\w{64}$",
                    path)
            self.assertTrue(re.search(r"==", path.read_text()), path)


if __name__ == "__main__":
    unittest.main()
