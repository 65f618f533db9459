# SPDX-License-Identifier: Apache-2.0
"""Does a recorded call reach the heap, a lock or the kernel?

Usage: poison_test.py POISONED_CALLS LIBDLTAP DLTAP
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = TAP = DLTAP = ""


class PoisonTest(unittest.TestCase):

    def run_tapped(self, *words, **variables):
        # Another traced program may bring the ring of one that died here.
        with tempfile.TemporaryDirectory(
                ignore_cleanup_errors=True) as folder:
            done = subprocess.run(
                [PROGRAM, *words], capture_output=True, text=True,
                env=os.environ | {"LD_PRELOAD": TAP, "DLTAP_LOG": "off",
                                  "DLTAP_OUTPUT": folder} | variables)
            if done.returncode == 77:
                self.skipTest("no seccomp filters here")
            dump = subprocess.run([DLTAP, "dump", folder], capture_output=True,
                                  text=True).stdout
        calls = re.findall(r"^call \S+ thread=\d+ (\w+)", dump, re.M)
        return done.returncode, done.stderr, calls

    def test_recorded_calls_reach_nothing_of_it(self):
        for thread, rounds in (("main", 1020), ("thread", 80)):
            for level in ("host", "kernels"):
                with self.subTest(thread=thread, level=level):
                    code, stderr, calls = self.run_tapped(thread,
                                                          DLTAP_LEVEL=level)
                    self.assertEqual((code, stderr), (0, ""))
                    self.assertEqual(calls.count("cublasGemmEx"), rounds)

    def test_followed_and_counted_calls_outside_a_window_reach_nothing(self):
        code, stderr, _ = self.run_tapped("main", DLTAP_START="off")
        self.assertEqual((code, stderr), (0, ""))

    def test_poison_works(self):
        for proof, word in (("malloc", "malloc\n"),
                            ("lock", "pthread_mutex_lock\n"),
                            ("call", "system call 186\n")):
            with self.subTest(proof=proof):
                code, stderr, _ = self.run_tapped("main", proof)
                self.assertEqual((code, stderr), (9, word))


if __name__ == "__main__":
    PROGRAM, TAP, DLTAP = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
