#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A known delay of the host comes back in its class and its cause.

usage: delays_test.py DLTAP PROGRAM PYTHON [STEPS MILLISECONDS TOLERANCE]

Runs PROGRAM (programs/delays.py) on a simulated GPU with delays at several
places of each step, and without. What the delays add to the report is compared
with how long they took, within 3 %. The preemption of a busy machine comes on
top, in either run, which the short runs of the test suite allow for; what still
differs is looked at in two more pairs of runs, and must not differ in all.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

DLTAP, PROGRAM, PYTHON = sys.argv[1:4]
STEPS, MILLISECONDS, TOLERANCE = (
    sys.argv[4:] + ["60", "40", "0.03"][len(sys.argv) - 4:])

RUNS = 3

# Class that each place's delay is charged to; None: wherever, it is input.
CLASSES = {"conv": "conv", "norm": "norm", "linear": "gemm",
           "embedding": "embedding", "rnn": "rnn", "attention": "attention",
           "softmax": "softmax", "optimizer": "optimizer", "loader": None}
CAUSES = {"busy": ("framework", "preempted"),
          "sleep": ("blocked", "preempted")}


class Run:
    """One run of the program, as its report has it, in ms a step."""

    def __init__(self, places, kind, milliseconds, steps=STEPS):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [DLTAP, "run", "--gpu", "sim:h100-sxm", "-o", folder, "--",
                 PYTHON, PROGRAM, ",".join(places), kind, milliseconds, steps],
                capture_output=True, text=True, check=True)
            self.took = json.loads(done.stdout.splitlines()[0])
            self.report = json.loads(subprocess.run(
                [DLTAP, "report", "--json", folder],
                capture_output=True, text=True, check=True).stdout)
        self.used = [step for first, last in self.report["steps"]["used"]
                     for step in range(first, last + 1)]
        self.to_ms = 1e-6 / self.report["program"]["per_step"]

    def host_ms(self, of_class, causes):
        rows = [row for row in self.report["classes"]
                if of_class in (None, row["class"])]
        if of_class is None:
            rows.append(self.report["between_steps"])
        return sum(row["host_ns"][cause] for row in rows
                   for cause in causes) * self.to_ms


class DelaysTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.without = Run(CLASSES, "busy", "0")

    def differing(self, kind, places):
        """Those of `places` at which the report differs from the clock."""
        run = Run(CLASSES, kind, MILLISECONDS)
        differing = []
        for place in places:
            of_class = CLASSES[place]
            causes = CAUSES[kind] if of_class else ("input",)
            added = (run.host_ms(of_class, causes) -
                     self.without.host_ms(of_class, causes))
            took = statistics.mean(run.took[place][i] for i in run.used)
            print(f"{kind:6} {place:10} took {took:6.2f} ms a step, "
                  f"report {added:6.2f}  {added / took - 1:+.1%}")
            if abs(added / took - 1) > float(TOLERANCE):
                differing.append(place)
        return differing

    def check(self, kind):
        places = self.differing(kind, CLASSES)
        for _ in range(RUNS - 1):
            if not places:
                return
            type(self).without = Run(CLASSES, "busy", "0")
            places = self.differing(kind, places)
        self.assertEqual(places, [])

    def test_busy(self):
        self.check("busy")

    def test_sleep(self):
        self.check("sleep")

    def test_after_a_wait(self):
        # Of all classes: preempted is the step's, not the delay's alone.
        # paused_reads of paused_programs_test.py compares steps of one run.
        run = Run(["wait"], "sleep", MILLISECONDS)
        took = statistics.mean(run.took["wait"][i] for i in run.used)
        blocked = (run.host_ms(None, ["blocked"]) -
                   self.without.host_ms(None, ["blocked"]))
        preempted = run.host_ms(None, ["preempted"])
        tolerance = 1 + float(TOLERANCE)
        self.assertLess(blocked, took * tolerance)
        self.assertGreater((blocked + preempted) * tolerance, took)
        self.assertGreater(blocked, took / 2)
        program = run.report["program"]
        self.assertIn("Synchronize", program["drained_by"][0]["name"])
        self.assertEqual(run.report["limit"][0]["fault"], "sleep")

    def test_input_that_others_make(self):
        for place in ("worker", "thread"):
            with self.subTest(place=place):
                # Batches are made beside the step: on a busy machine that may
                # take longer than a short delay, and be the limit then.
                run = Run([place], "sleep", str(4 * int(MILLISECONDS)), "20")
                self.assertEqual(run.report["limit"][0]["fault"], "loader",
                                 run.report["limit"])
                share = run.report["program"]["input_runnable_share"]
                self.assertTrue(share is None or share < 0.5, share)


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        raise unittest.SkipTest(PYTHON)
    unittest.main(argv=sys.argv[:1])
