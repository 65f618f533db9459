# SPDX-License-Identifier: Apache-2.0
"""Ends, limits, exits and other clients of CUPTI: the program goes on as bare."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAMS = chain.BUILD / "tests/integration/endtoend/programs"
HOSTILE = chain.BUILD / "tests/integration/hostile/programs"
LOSS = re.compile(r"^loss (\w+) (\d+)", re.M)
# CUPTI called after the driver's exit handler ends the process.
TEARDOWN = {"DLTAP_SIM_FAULTS": "teardown:1:abort"}

PYTHON = """
import atexit, ctypes, os, sys
cuda = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
def work():
    for i in range(50):
        assert cuda.cudaMemsetAsync(memory, i, ctypes.c_size_t(64), None) == 0
    assert cuda.cudaDeviceSynchronize() == 0
atexit.register(work)
assert cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
work()
"""


class Run:
    """A tapped program, and what its trace says."""

    def __init__(self, command, **variables):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            self.done = chain.run_tapped(command, trace, check=False,
                                         **variables)
            self.dump = chain.dltap("dump", trace).stdout
            self.trust = chain.report(trace)["trust"]
        self.losses = {key: int(n) for key, n in LOSS.findall(self.dump)}

    def count(self, kind: str) -> int:
        return len(re.findall(rf"^{kind} ", self.dump, re.M))


class CuptiCornersTest(unittest.TestCase):

    def check_whole(self, run: Run):
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.trust["launches_without_kernel"], 0)
        self.assertEqual(run.trust["lost_records"], 0)

    def test_memory_is_flat_after_the_limit(self):
        run = Run([PROGRAMS / "long_run", "2000"], DLTAP_MAX_MB="4:stop")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertIn("DLTAP_MAX_MB", run.done.stderr)
        resident = [int(line) for line in run.done.stdout.split()]
        self.assertEqual(len(resident), 10)
        # With CUPTI left on it grows by 300 MiB here.
        self.assertLess(resident[-1] - resident[1], 8 << 10)

    def test_many_short_threads_take_few_buffers(self):
        for release in ("11.8", "12.4", "13.0"):
            with self.subTest(release):
                run = Run([PROGRAMS / "long_run", "50", "40"],
                          DLTAP_SIM_CUPTI_VERSION=release)
                self.assertEqual(run.done.returncode, 0, run.done.stderr)
                self.assertEqual(run.losses["activity_buffer"], 0)
                self.assertEqual(run.count("memset"), 50 * 40 * 4)
                resident = [int(line) for line in run.done.stdout.split()]
                # What grows is for the most that ever lived at once: up to 40
                # rings and, before CUPTI 12.9, buffers. One for each of the 2,000
                # would be 1,000 MiB.
                self.assertLess(resident[-1] - resident[0], 64 << 10)

    def test_a_collector_without_a_cpu_is_waited_for_at_the_end(self):
        run = Run([PROGRAMS / "starved", "4"])
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.trust["launches_without_kernel"], 0)
        self.assertEqual(run.losses["flush_deadline"], 0)
        self.assertEqual(run.count("memset"), 200)
        self.assertEqual(run.count("kernel"), 100)
        self.assertEqual(run.trust["cut_processes"], 0)

    def test_nothing_of_cupti_is_called_after_the_exit_flush(self):
        for options in ((), ("thread",)):
            with self.subTest(options):
                run = Run([PROGRAMS / "late_exit", *options], **TEARDOWN)
                self.assertEqual(run.done.returncode, 0, run.done.stderr)
                self.assertEqual(run.done.stdout, "late\n")
                self.assertEqual(run.trust["launches_without_kernel"], 0)
                self.assertGreaterEqual(run.count("memset"), 100)

    def test_python_ends_as_bare(self):
        endings = {"": 100, "sys.exit(0)": 100, "os._exit(0)": 0}
        for ending, records in endings.items():
            with self.subTest(ending):
                run = Run([sys.executable, "-c", PYTHON + ending], **TEARDOWN)
                self.assertEqual(run.done.returncode, 0, run.done.stderr)
                self.assertGreaterEqual(run.count("memset"), records)

    def test_context_that_goes_and_comes_again(self):
        run = Run([PROGRAMS / "reset"])
        self.check_whole(run)
        self.assertEqual(run.count("memset"), 10 * 50)
        self.assertEqual(run.trust["kernels_without_launch"], 0)

    def test_stolen_callbacks_are_noticed(self):
        run = Run([PROGRAMS / "long_run", "100", "0", "80"],
                  DLTAP_SIM_FAULTS="record:5000:stolen")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertRegex(run.dump, r"level host .*taken its callbacks")
        # What came before is there, what was stolen does not count as missing.
        self.assertEqual(run.trust["launches_without_kernel"], 0)
        self.assertEqual(run.trust["level"], "host")

    def test_client_that_holds_its_lock_comes_and_goes_under_load(self):
        command = [PROGRAMS / "locked_client"]
        bare = chain.run_bare(command).stdout
        run = Run(command)
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.done.stdout, bare)
        self.check_launches(run)

    def test_kernels_have_launches_however_long_it_takes_to_switch_off(self):
        """A client comes on a thread that has no CPU between our switches."""
        run = Run([PROGRAMS / "locked_client"],
                  DLTAP_SIM_FAULTS="cuptiEnableCallback:*:slow=2ms")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.check_launches(run)

    def check_launches(self, run):
        """Each of the 20 times that the client leaves, kernels may still run
        whose launches its records told of: the 20 of a batch at most. Calls
        that were lost, on a busy machine, lack theirs, too."""
        self.assertLessEqual(run.trust["kernels_without_launch"],
                             20 * 20 + run.losses["ring_full"])

    def test_no_definition_is_lost_that_the_collector_makes(self):
        """60,000 kinds of launches, more than there is room for in one pass."""
        run = Run([HOSTILE / "device", "many_variants"])
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.losses["definition_lost"], 0)

    def test_subscribers_of_either_kind_come_at_any_time(self):
        """cuptiSubscribe_v2 (CUDA 13) and cuptiSubscribe exclude each other."""
        moments = [(kind, when, release) for release in ("13.0", "13.3")
                   for kind in ("v1", "v2")
                   for when in ("first", "later", "meanwhile")]
        for kind, when, release in moments:
            with self.subTest(kind=kind, when=when, release=release):
                command = [PROGRAMS / "subscribers", kind, when]
                bare = chain.run_bare(command).stdout
                run = Run(command, DLTAP_SIM_CUPTI_VERSION=release)
                self.assertEqual(run.done.returncode, 0, run.done.stderr)
                self.assertEqual(run.done.stdout, bare)
                self.assertEqual(run.trust["level"], "kernels")
                if (kind, release) == ("v2", "13.3"):
                    self.check_left_to_client(run, when)
                    continue
                # The kernels are the tap's all the time.
                self.assertEqual(run.count("memset"), 7 * 300)

    def check_left_to_client(self, run, when):
        """Its activity functions exclude the tap's from 13.3 on."""
        self.assertGreater(run.losses["cupti_yielded"], 0)
        if when == "later":  # what came before the client
            self.assertGreaterEqual(run.count("memset"), 300)
        self.assertEqual(run.trust["launches_without_kernel"], 0)


if __name__ == "__main__":
    unittest.main()
