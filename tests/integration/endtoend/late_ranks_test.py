# SPDX-License-Identifier: Apache-2.0
"""A rank that is late comes back as the waiting of the others."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "programs" / "late_ranks.py"
STEPS = 8
MILLISECONDS = ("0", "0", "60", "150")


@chain.needs_torch
class LateRanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.trace = pathlib.Path(cls.folder.name, "trace")
        ranks = len(MILLISECONDS)
        command = [sys.executable, "-m", "torch.distributed.run",
                   "--standalone", "--nproc-per-node", str(ranks), PROGRAM,
                   str(STEPS), *MILLISECONDS]
        # Ranks wait for each other, so their clocks must be one.
        done = chain.run_tapped(command, cls.trace, ["--gpus", str(ranks)],
                                DLTAP_SIM_CLOCK="real")
        printed = [json.loads(line) for line in done.stdout.splitlines()
                   if line.startswith('{"rank"')]
        cls.came_ms = [row["came_ms"] for row in
                       sorted(printed, key=lambda row: row["rank"])]
        cls.report = chain.report(cls.trace, "--window", "all")

    def row(self, communicator, kind):
        rows = [row for row in self.report["collectives"]["rows"]
                if row["communicator"] == communicator and
                row["kind"] == kind and row["bytes"] == 4 << 19]
        self.assertEqual(len(rows), 1, self.report["collectives"])
        return rows[0]

    def test_lateness_is_waiting(self):
        pair_ms = all_ms = 0
        for came in zip(*self.came_ms):
            (zero, one, two, three) = [to_pair for to_pair, _ in came]
            pair_ms += abs(two - three)
            # A rank's second kernel runs after its first.
            begins = [max(to_all, *pair) for (_, to_all), pair in
                      zip(came, [(zero, one)] * 2 + [(two, three)] * 2)]
            all_ms += sum(max(begins) - begin for begin in begins)
        for row, expected in (
                (self.row("ranks 2-3", "all_gather"), pair_ms),
                (self.row("ranks 0-3", "all_reduce"), all_ms)):
            with self.subTest(row["communicator"]):
                self.assertEqual(row["unknown_ns"], 0)
                self.assertAlmostEqual(row["waiting_ns"] * 1e-6 / expected, 1,
                                       delta=0.03)

    def test_the_last_rank_is_named(self):
        late = self.report["collectives"]["ranks"][0]
        self.assertEqual(late["rank"], 3)
        self.assertGreaterEqual(late["last"], STEPS - 1)
        self.assertEqual(self.report["limit"][0]["rank"], 3)

    def test_bus_bandwidth_is_that_of_the_transfer(self):
        row = self.row("ranks 0-3", "all_reduce")
        self.assertEqual(row["count"], 4 * STEPS)
        bytes_moved = row["count"] * row["bytes"] * 2 * 3 / 4
        self.assertAlmostEqual(row["bus_gb_per_s"],
                               bytes_moved / row["transfer_ns"])
        self.assertLess(row["of_link_share"], 1)

    def test_a_missing_rank_leaves_the_transfer_unknown(self):
        files = sorted(self.trace.glob("*.dltap"))
        alone = json.loads(chain.dltap("report", "--json", "--window", "all",
                                       files[0]).stdout)["collectives"]
        self.assertTrue(alone["rows"])
        for row in alone["rows"]:
            self.assertIsNone(row["waiting_ns"])
            self.assertIsNone(row["transfer_ns"])
            self.assertTrue(row["is_lower_bound"])
        # How many ranks a split has only all of them tell.
        self.assertEqual({(c["ranks"], c["seen"]) for c in
                          alone["communicators"]}, {(None, 1), (4, 1)})


if __name__ == "__main__":
    unittest.main()
