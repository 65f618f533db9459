# SPDX-License-Identifier: Apache-2.0
"""The report says which numbers the program looked at that nobody computed."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = """\
import torch
x = torch.randn(64, 64, device="cuda")
for step in range(9):
    loss = (x @ x).sum().item()
assert (x @ x).mean() == 0
print(torch.tensor(7).cuda().item())
"""


@chain.needs_torch
class UncomputedReadsTest(unittest.TestCase):

    def test_the_report_names_them_and_what_copies_the_trace_keeps_them(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "look.py")
            program.write_text(PROGRAM)
            trace = pathlib.Path(folder, "trace")
            done = chain.run_tapped([sys.executable, program], trace)
            pack = pathlib.Path(folder, "trace.dltappack")
            chain.dltap("pack", "-o", pack, trace)
            dump = pathlib.Path(folder, "trace.txt")
            dump.write_text(chain.dltap("dump", trace).stdout)
            reports = [chain.report(path) for path in (trace, pack, dump)]
        line = ("the program looked at 10 numbers that nobody computed: "
                "look.py:4 (9), look.py:5 (1)")
        # The report's lines are as wide as a page.
        self.assertIn(line, re.sub(r"\s+", " ", done.stderr))
        for report in reports:
            trust = report["trust"]
            self.assertEqual(trust["uncomputed_reads"],
                             {"look.py:4": 9, "look.py:5": 1})
            said = [w for w in trust["warnings"]
                    if w["id"] == "uncomputed_reads"]
            self.assertEqual([w["count"] for w in said], [10])
            self.assertEqual(trust["uncomputed_values"], "zero")
            self.assertTrue(said[0]["text"].startswith(line))

    def test_the_report_says_that_they_were_plausible(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "look.py")
            program.write_text("import torch\nx = torch.rand(9).cuda()\n"
                               "assert (x @ x).item() > 0\n")
            trace = pathlib.Path(folder, "trace")
            done = chain.run_tapped([sys.executable, program], trace,
                                    DLTAP_SIM_VALUES="plausible")
            report = chain.report(trace)
        self.assertIn("look.py:3 (1); it got small random ones",
                      re.sub(r"\s+", " ", done.stderr))
        self.assertEqual(report["trust"]["uncomputed_values"], "plausible")
        self.assertEqual(report["trust"]["uncomputed_reads"], {"look.py:3": 1})

    def test_nothing_is_said_of_a_program_that_looks_at_none(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "look.py")
            program.write_text("import torch\nx = torch.ones(9).cuda()\n"
                               "assert int(x.sum()) == 9\n")
            trace = pathlib.Path(folder, "trace")
            done = chain.run_tapped([sys.executable, program], trace)
            report = chain.report(trace)
        self.assertNotIn("nobody computed", done.stderr)
        self.assertEqual(report["trust"]["uncomputed_reads"], {})
        self.assertIsNone(report["trust"]["uncomputed_values"])


if __name__ == "__main__":
    unittest.main()
