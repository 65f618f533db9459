# SPDX-License-Identifier: Apache-2.0
"""Do reports fit the terminal that they are printed on? On real ones.

Usage: terminal_test.py DLTAP
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

DLTAP = sys.argv[1]
BLOCKS = "▏▎▍▌▋▊▉█"


def trace() -> str:
    """Ten steps of three classes; the first is long, the sixth longer."""
    lines = ["format dltap", "process pid=7 program=train",
             'device 0 name="NVIDIA H100 80GB HBM3" cc=9.0 sms=132',
             "thread 0 tid=1 name=python"]
    at, number = 0, 0
    for step in range(10):
        first = at
        for name, us in (("ampere_sgemm_128x64_nn", 600),
                         ("softmax_warp_forward", 300 if step == 5 else 100),
                         ("multi_tensor_apply_kernel", 50)):
            number += 1
            lines += [
                f"call t={at}..{at + 2}us thread=0 cudaLaunchKernel",
                f"launchapi t={at}..{at + 1}us thread=0 corr={number} "
                f"ext={at}us",
                f"kernel t={at + 3}..{at + 3 + us}us device=0 stream=7 "
                f"corr={number} name={name}"]
            at += 3 + us
        lines.append(f"range t={first}..{at}us thread=0 kind=nvtx "
                     f'name="step {step}"')
    return "\n".join(lines) + "\n"


class TerminalTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.trace = os.path.join(folder.name, "trace.txt")
        with open(cls.trace, "w") as file:
            file.write(trace())

    def report(self, *args, **variables):
        done = subprocess.run(
            [DLTAP, "report", *args, self.trace], capture_output=True, text=True,
            env=os.environ | variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def on_terminal(self, columns, *args, **variables):
        main, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 50, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items()
                       if key != "COLUMNS"}
        child = subprocess.Popen(
            [DLTAP, "report", *args, self.trace], stdout=end,
            stderr=subprocess.DEVNULL,
            env=environment | {"TERM": "xterm", "NO_COLOR": "1"} | variables)
        os.close(end)
        text = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            text += piece
        os.close(main)
        self.assertEqual(child.wait(), 0)
        return text.decode().replace("\r\n", "\n")

    def test_pipe_gets_a_hundred_columns_whatever_the_terminal(self):
        text = self.report()
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertEqual(text, self.report(COLUMNS="200"))
        self.assertFalse(set(BLOCKS) & set(text))

    def test_wide_terminal_gets_bars(self):
        self.assertEqual(self.on_terminal(130), self.report("--width", "130"))
        self.assertIn("█", self.on_terminal(130))

    def test_bars_are_as_long_as_the_share_beside_them(self):
        rows = 0
        for line in self.report("--width", "140").splitlines():
            row = re.match(rf"^\S.*?  +[\d.,]+ +([\d.]+)  .*?([{BLOCKS}]+)$",
                           line)
            if row:
                rows += 1
                drawn = sum((BLOCKS.index(c) + 1) / 8 for c in row[2])
                self.assertAlmostEqual(drawn / 24, float(row[1]) / 100,
                                       delta=0.006)
        self.assertGreater(rows, 1)

    def test_narrow_terminal_loses_columns_and_says_so(self):
        text = self.on_terminal(80)
        self.assertIn("no room for fwd / bwd", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_columns_variable_wins_over_the_terminal(self):
        self.assertEqual(self.on_terminal(200, COLUMNS="80"),
                         self.on_terminal(80))

    def test_ascii_is_ascii(self):
        text = self.report("--ascii", "--width", "140", "--steps-plot")
        self.assertTrue(text.isascii())
        self.assertIn("###", text)
        self.assertEqual([line.rstrip() for line in text.splitlines()],
                         text.splitlines())

    def test_steps_are_drawn_in_their_place(self):
        text = self.report("--steps-plot", "--warmup", "2")
        plot = re.search(r"(?m)^steps: .*left out \(2\)\n  (\S+)$", text)[1]
        self.assertRegex(plot, "^xx([▁-▇])\\1\\1█\\1{4}$")
        self.assertNotIn("steps: ", self.report())

    def test_width_that_is_none_is_refused(self):
        for width in ("0", "59", "501", "wide"):
            done = subprocess.run([DLTAP, "report", "--width", width, self.trace],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
