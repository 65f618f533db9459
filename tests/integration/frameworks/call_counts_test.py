# SPDX-License-Identifier: Apache-2.0
"""What compare() says of functions that were counted and seen."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import call_counts  # noqa: E402

ROLES = {"cuInit": "kCount", "nvmlInit": "kNot"}


def simulated(calls, by_address=0):
    return call_counts.Simulated("cuda", False, calls, by_address)


def verdict(symbol, tapped, seen, bare=0, own=()):
    [row] = call_counts.compare({symbol: tapped}, {symbol: simulated(bare)},
                                {symbol: seen}, ROLES, own)
    return row.verdict


class CompareTest(unittest.TestCase):

    def test_a_missed_call_is_different(self):
        self.assertEqual(verdict("cuInit", simulated(3), 3), "equal")
        self.assertEqual(verdict("cuInit", simulated(3), 2), "different")
        self.assertEqual(verdict("cuInit", simulated(2), 3), "different")

    def test_what_came_by_address_must_explain_all_that_was_missed(self):
        self.assertEqual(verdict("cuInit", simulated(5, 2), 3), "by_address")
        self.assertEqual(verdict("cuInit", simulated(5, 2), 2), "different")
        self.assertEqual(verdict("cuInit", simulated(5, 2), 5), "equal")

    def test_the_taps_own_calls_leave_the_programs(self):
        own = {"cuInit"}
        self.assertEqual(verdict("cuInit", simulated(9), 4, 4, own), "own")
        self.assertEqual(verdict("cuInit", simulated(9), 3, 4, own),
                         "different")
        self.assertEqual(verdict("cuInit", simulated(9), 4, 4), "different")

    def test_a_process_without_a_trace_did_no_work_that_the_tap_can_see(self):
        rows = call_counts.untraced(
            {"cuInit": simulated(1), "cuLaunchKernel": simulated(5, 4),
             "cuMemAlloc_v2": simulated(2, 2), "nvmlInit": simulated(1)},
            ROLES | {"cuLaunchKernel": "kRecord"},
            {"cuLaunchKernel", "cuMemAlloc_v2"})
        self.assertEqual([row.verdict for row in rows],
                         ["no_session", "different", "by_address",
                          "unwrapped"])

    def test_calls_of_other_processes_are_taken_off(self):
        less = call_counts.without(
            {"cuInit": simulated(5, 2), "cuMemMap": simulated(1)},
            {"cuInit": simulated(2, 2)})
        self.assertEqual(less, {"cuInit": simulated(3, 0),
                                "cuMemMap": simulated(1)})

    def test_what_is_not_wrapped_is_said(self):
        self.assertEqual(verdict("nvmlInit", simulated(1), 0), "unwrapped")


class ReadTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "file")

    def test_counts_of_two_processes_are_added(self):
        self.path.write_text("cuda cuInit real 2\n"
                             "cuda cuMemMap default 7 by_address 6\n")
        read = call_counts.read_simulated([self.path, self.path])
        self.assertEqual(read["cuInit"].calls, 4)
        self.assertEqual(read["cuMemMap"],
                         call_counts.Simulated("cuda", True, 14, 12))

    def test_recorded_and_counted_calls_are_added(self):
        seen = call_counts.read_seen(
            ["call 5.1us thread=3 cuLaunchKernel grid=1", "count cuInit 4",
             "call 6.1us thread=3 cuLaunchKernel grid=1", "kernel cuInit"])
        self.assertEqual(seen, {"cuLaunchKernel": 2, "cuInit": 4})

    def test_routes_are_told_by_who_is_bound_to_whom(self):
        line = "  7:\tbinding file {} [0] to {} [0]: normal symbol `{}'\n"
        self.path.write_text(
            line.format("/a/libtorch.so", "/b/libdltap.so", "cuInit") +
            line.format("/c/libcuda.so.1", "/c/libcuda.so.1", "cuMemMap") +
            line.format("/a/libtorch.so", "/lib/libc.so.6", "malloc"))
        routes = call_counts.read_routes([self.path], "libdltap.so")
        self.assertEqual(routes, {"cuInit": {"symbol"}, "cuMemMap": {"dlsym"}})


if __name__ == "__main__":
    unittest.main()
