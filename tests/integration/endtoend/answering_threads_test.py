# SPDX-License-Identifier: Apache-2.0
"""Threads that answer at once: the report has the batches of each thread."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "programs" / "answering_threads.py"


def report_of(kind, counts):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        # Threads only meet where the host waits.
        chain.run_tapped([sys.executable, PROGRAM, kind, *counts], trace,
                         ["--no-report"], DLTAP_SIM_CLOCK="real")
        return chain.report(trace)


@chain.needs_torch
class AnsweringThreadsTest(unittest.TestCase):

    def test_batches_are_counted_by_thread(self):
        for kind, counts in (("same", [12, 12, 12]), ("same", [14, 9]),
                             ("own", [12, 12]), ("own", [8, 15, 20, 11])):
            with self.subTest(kind, counts=counts):
                report = report_of(kind, counts)
                steps = report["steps"]
                # Threads of one model that hardly met look like one loop,
                # and batches that met like one of its steps.
                if kind == "same" and not steps["threads_at_once"]:
                    self.assertGreaterEqual(steps["count"], 0.9 * sum(counts))
                    self.assertLessEqual(steps["count"], sum(counts))
                    continue
                self.assertEqual(steps["count"], 0)
                self.assertEqual(sorted(steps["threads_at_once"]),
                                 sorted(counts))
                self.assertIn("threads_at_once", [
                    warning["id"] for warning in report["trust"]["warnings"]])

    def test_a_loop_that_is_handed_out_is_one(self):
        steps = report_of("handed", [8, 8, 8])["steps"]
        self.assertEqual(steps["threads_at_once"], [])
        self.assertEqual(steps["count"], 24)

    def test_a_thread_that_is_fed_by_another_is_of_its_loop(self):
        # Batches that are ready before an answer may be one step: at first, and
        # where a busy machine lets one thread wait, which it does not each time.
        counts = []
        while len(counts) < 3 and not {13, 14} & set(counts):
            steps = report_of("staged", [14])["steps"]
            self.assertEqual(steps["threads_at_once"], [])
            counts.append(steps["count"])
        self.assertTrue({13, 14} & set(counts), counts)


if __name__ == "__main__":
    unittest.main()
