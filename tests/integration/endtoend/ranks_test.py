# SPDX-License-Identifier: Apache-2.0
"""torchrun with two processes: one directory, both ranks in one report."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402


@chain.needs_torch
class RanksTest(unittest.TestCase):
    def test_both_ranks_are_in_one_report(self):
        command = [sys.executable, "-m", "torch.distributed.run",
                   "--standalone", "--nproc-per-node", "2",
                   chain.SCRIPTS / "train_ddp.py", "--steps", "8"]
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            # Ranks wait for each other, so their clocks must be one.
            chain.run_tapped(command, trace, ["--gpus", "2"],
                             DLTAP_SIM_CLOCK="real")
            document = chain.report(trace)
            text = chain.dltap("report", trace).stdout
        self.assertEqual(sorted(d["rank"] for d in document["devices"]),
                         [0, 1])
        self.assertEqual(len({d["process"] for d in document["devices"]}), 2)
        rows = chain.class_rows(document)
        # Per step of each rank: at least one all-reduced bucket; three layers
        # forward and with two gradients each (the first has no input's).
        steps, rest = divmod(rows["gemm"]["calls"], 8)
        self.assertEqual(rest, 0)
        self.assertGreaterEqual(steps, 2 * 4)
        self.assertGreaterEqual(rows["comm"]["calls"], steps)
        self.assertGreater(rows["comm"]["gpu_ns"], 0)
        self.assertIn("2 processes", text)


if __name__ == "__main__":
    unittest.main()
