# SPDX-License-Identifier: Apache-2.0
"""Where CUPTI or the device fails, the trace is usable and says so."""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = chain.cpp("cnn", steps=10)
RECORD = re.compile(r"^(kernel|memcpy|memset) ", re.M)
LOSS = re.compile(r"^loss (\w+) (\d+)", re.M)

Traced = collections.namedtuple("Traced", "done dump records losses text")


def traced(faults: str, **variables: str) -> Traced:
    """The program tapped with these faults, and what is said of it."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        done = chain.run_tapped(PROGRAM.command, trace, check=False,
                                DLTAP_SIM_FAULTS=faults, **variables)
        dump = chain.dltap("dump", trace).stdout
        text = chain.dltap("report", trace).stdout
    losses = {key: int(count) for key, count in LOSS.findall(dump)}
    return Traced(done, dump, len(RECORD.findall(dump)), losses,
                  " ".join(text.split()))


def calls_of(run: Traced) -> int:
    return len(re.findall(r"^call ", run.dump, re.M))


class FaultsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.whole = traced("")

    def lost(self, faults: str, key: str) -> Traced:
        """Runs with a tenth of the records spoilt; they are counted."""
        spoilt = traced(faults)
        self.assertEqual(spoilt.done.returncode, 0, spoilt.done.stderr)
        self.assertEqual(spoilt.losses[key], self.whole.records // 10)
        self.assertIn(f"{key} {spoilt.losses[key]}", spoilt.text)
        return spoilt

    def host_only(self, run: Traced, reason: str):
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.records, 0)
        self.assertIn(f"level host ({reason}", run.text)
        self.assertEqual(calls_of(run), calls_of(self.whole))

    def test_dropped_records_are_counted(self):
        run = self.lost("record:10%:drop", "cupti_dropped")
        self.assertEqual(run.records + self.whole.records // 10,
                         self.whole.records)

    def test_records_without_times_are_left_out(self):
        for word in ("zero_time", "no_end"):
            with self.subTest(word):
                run = self.lost(f"record:10%:{word}", "zero_timestamp")
                self.assertEqual(run.records + self.whole.records // 10,
                                 self.whole.records)

    def test_doubled_records_are_written_once(self):
        run = self.lost("record:10%:twice", "bad_activity")
        self.assertEqual(run.records, self.whole.records)

    def test_late_records_are_all_there(self):
        run = traced("record:20%:late=3ms")
        self.assertEqual(run.records, self.whole.records)
        self.assertIn("trust: 0 records lost", run.text)

    def test_api_records_serve_where_another_client_subscribes(self):
        run = traced("cuptiSubscribe:*:39")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.records, self.whole.records)
        self.assertIn("every launch has its kernel", run.text)

    def test_launches_without_external_ids_are_joined_by_time(self):
        run = traced("cuptiSubscribe:*:39,external:*:unseen")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.records, self.whole.records)
        self.assertIn("every launch has its kernel", run.text)
        self.assertIn("level kernels (CUPTI tells no external correlation ids",
                      run.text)

    def test_records_never_made_are_launches_without_kernel(self):
        run = traced("record:10%:unseen")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.records + self.whole.records // 10,
                         self.whole.records)
        self.assertRegex(run.text, "[1-9][0-9]* launches without kernel")

    def test_busy_subscriber_leaves_the_calls(self):
        self.host_only(traced("cupti_busy"), "cuptiActivityEnable: "
                       "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)")

    def test_no_permission_leaves_the_calls(self):
        self.host_only(traced("cupti_no_permission"), "cuptiActivityEnable: "
                       "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)")

    def test_old_cupti_is_refused(self):
        self.host_only(traced("", DLTAP_SIM_CUPTI_VERSION="10.2"),
                       "libcupti is older than CUDA 11.0")

    def test_program_ends_although_a_flush_hangs(self):
        run = traced("cupti_hang")  # chain.TIMEOUT_S bounds it
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.losses["flush_deadline"], 1)
        self.assertIn("flush_deadline 1", run.text)
        above, _, _ = run.text.partition("trust: ")
        self.assertIn("warning: the last records of the GPU of 1 process did "
                      "not come in time", above)
        # It is not one record, and nobody has killed the process.
        self.assertNotIn("1 record lost", above)
        self.assertIn("ended before it was written", above)
        self.assertIn("level kernels", run.text)
        self.assertEqual(calls_of(run), calls_of(self.whole))

    def test_kernel_that_fails_ends_the_program_not_the_trace(self):
        run = traced("launch:100:719")
        self.assertNotEqual(run.done.returncode, 0)
        self.assertLess(run.records, self.whole.records)
        # Which call meets the error depends on the moment; it may be a CUDA
        # function or a library's, recorded or only counted.
        self.assertRegex(run.done.stderr,
                         "launch failure|CUDNN_STATUS_EXECUTION_FAILED|"
                         "the GPU program failed to execute")  # cuBLAS's text
        self.assertLess(calls_of(run), calls_of(self.whole))
        self.assertIn("trust: ", run.text)


if __name__ == "__main__":
    unittest.main()
