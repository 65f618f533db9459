# SPDX-License-Identifier: Apache-2.0
"""torch.profiler inside a tapped program works as without us."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "programs" / "profiled.py"


@chain.needs_torch
class ProfilerTest(unittest.TestCase):
    maxDiff = None

    def test_profiler_lists_the_same_kernels(self):
        command = [sys.executable, PROGRAM]
        bare = json.loads(chain.run_bare(command).stdout)
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            tapped = json.loads(chain.run_tapped(command, trace).stdout)
            document = chain.report(trace)
        self.assertGreater(len(bare), 5)
        self.assertEqual(bare, tapped)
        # Ours yields CUPTI to the profiler and takes it back.
        self.assertGreater(sum(row["kernels"] for row in document["classes"]),
                           0)
        self.assertGreater(document["devices"][0]["not_observed_ns"], 0)


if __name__ == "__main__":
    unittest.main()
