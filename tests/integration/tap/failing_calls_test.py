# SPDX-License-Identifier: Apache-2.0
"""Each file, memory and allocation call of the tap fails once: the program never
notices.

Calls are counted; the n-th fails, for every n until none is left. What is in the
trace then adds up: it opens, and either it is complete and says what it lost,
or stderr has said that there is no trace.
"""

import errno
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DLTAP, TAP, PROGRAMS, CAPTURES = sys.argv[1:5]
FAILING_CALLS = os.path.join(PROGRAMS, "libtap_failing_calls.so")
FAILING_ALLOCATIONS = os.path.join(PROGRAMS, "libtap_failing_allocations.so")
MOST_CALLS = 400


class Case:
    """A program under the tap, one of whose calls fails."""

    def __init__(self, *command: str, **variables: str):
        self.command = [os.path.join(PROGRAMS, command[0]), *command[1:]]
        self.variables = variables

    def bare(self) -> subprocess.CompletedProcess:
        return subprocess.run(self.command, capture_output=True)

    def run(self, folder: pathlib.Path, call: int, error: int):
        environment = {
            "PATH": os.environ["PATH"], "LD_PRELOAD": f"{TAP}:{FAILING_CALLS}",
            "DLTAP_OUTPUT": str(folder / "out"), "TEST_FAIL_CALL": str(call),
            "TEST_FAIL_ERRNO": str(error), "DLTAP_LEVEL": "host",
            "TEST_FAIL_REPORT": str(folder / "failed"), **self.variables}
        return subprocess.run(self.command, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True)


class SimulatedCase(Case):
    """A program on the simulated GPU, with kernels recorded."""

    def __init__(self, injector: str):
        super().__init__(CAPTURES, "0")
        self.injector = injector

    def dltap_run(self, out: pathlib.Path, **variables: str):
        command = [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm", "-o",
                   out, "--", *self.command]
        environment = {"PATH": os.environ["PATH"], "DLTAP_SIM_CLOCK": "skip",
                       "LD_PRELOAD": self.injector, **variables}
        return subprocess.run(command, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def bare(self) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as name:
            return self.dltap_run(pathlib.Path(name) / "out",
                                  DLTAP_DISABLE="1")

    def run(self, folder: pathlib.Path, call: int, error: int):
        return self.dltap_run(
            folder / "out", TEST_FAIL_CALL=str(call),
            TEST_FAIL_ERRNO=str(error),
            TEST_FAIL_REPORT=str(folder / "failed"))


class FailingCallsTest(unittest.TestCase):
    def check_trace(self, folder: pathlib.Path, stderr: bytes, where: str):
        out = folder / "out"
        files = list(out.glob("*.dltap")) if out.exists() else []
        if not files:
            self.assertIn(b"dltap: ", stderr, where)
            return
        dump = subprocess.run([DLTAP, "dump", out], capture_output=True)
        self.assertIn(dump.returncode, (0, 4), where + dump.stderr.decode())
        self.assertNotIn(b"corrupt", dump.stderr, where)

    def check(self, case: Case, error: int, least: int):
        bare = case.bare()
        for call in range(1, MOST_CALLS):
            with tempfile.TemporaryDirectory(
                    ignore_cleanup_errors=True) as name:
                folder = pathlib.Path(name)
                ended = case.run(folder, call, error)
                failed = folder / "failed"
                if not failed.exists():
                    break
                where = f"call {call} ({failed.read_text()}), {error}: "
                self.assertEqual(ended.stdout, bare.stdout, where)
                self.assertEqual(ended.returncode, bare.returncode, where)
                self.check_trace(folder, ended.stderr, where)
        else:
            self.fail("the calls did not come to an end")
        self.assertGreater(call, least)

    def test_a_short_run(self):
        self.check(Case("tap_launches", "1000"), errno.EIO, 20)

    def test_a_run_that_deletes_segments(self):
        self.check(Case("tap_definers", "texts", "6000",
                        DLTAP_MAX_MB="0.5:ring"), errno.ENOSPC, 20)

    def test_a_run_with_kernels(self):
        self.check(SimulatedCase(FAILING_CALLS), errno.EIO, 20)

    def test_allocations(self):
        self.check(SimulatedCase(FAILING_ALLOCATIONS), errno.ENOMEM, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
