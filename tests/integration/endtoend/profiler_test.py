# SPDX-License-Identifier: Apache-2.0
"""torch.profiler inside a tapped program works as without us."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "programs" / "profiled.py"
CHECKS = chain.SOURCE / "tests/integration/simgpu/torch_checks/profiler.py"


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
            dump = chain.dltap("dump", trace).stdout
        self.assertGreater(len(bare), 5)
        self.assertEqual(bare, tapped)
        # Ours yields CUPTI to the profiler and takes it back.
        self.assertGreater(sum(row["kernels"] for row in document["classes"]),
                           0)
        spans = re.findall(r"^not_observed t=(\d+)\.\.(\d+)ns .*cause=yielded$",
                           dump, re.M)
        self.assertEqual(len(spans), 1)
        self.assertLess(int(spans[0][0]), int(spans[0][1]))
        # Before and after it, in spite of the profiler's timestamp callback.
        self.assertEqual(document["trust"]["launches_without_kernel"], 0)
        self.assertEqual(document["trust"]["kernels_without_launch"], 0)

    def test_profiler_joins_every_kernel_to_its_operator(self):
        with tempfile.TemporaryDirectory() as folder:
            ran = chain.run_tapped([sys.executable, CHECKS],
                                   pathlib.Path(folder, "trace"))
        self.assertRegex(ran.stdout, r"(\d+) of \1 checks passed")


if __name__ == "__main__":
    unittest.main()
