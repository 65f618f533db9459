#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pauses of the host come back in their class and cause, in several programs.

usage: paused_programs_test.py DLTAP PYTHON [PROGRAM...]

Runs programs of ../differential/paused.py on a simulated GPU with pauses at
half of their places, and without. What the pauses before a class add to it must
be how long they took. A busy machine adds its own: what differs is run again
with other pauses, and must not differ every time.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DLTAP, PYTHON = sys.argv[1:3]
NAMES = sys.argv[3:] or ["paused_segmentation", "paused_critic",
                         "paused_accumulation", "paused_decoding"]
PROGRAM = pathlib.Path(__file__).resolve().parent / "programs/paused.py"
MILLISECONDS, STEPS = "10", 10
RUNS = 4
TOLERANCE = 0.1    # of what is paused before a class
LITTLE_MS = 0.5    # a step
CAUSES = {"busy": ("framework", "preempted"),
          "sleep": ("blocked", "preempted")}


def host_ms(report, causes) -> collections.Counter:
    """What the report says, a step: by class, and `input` of all."""
    sums = collections.Counter()
    for row in [*report["classes"],
                report["between_steps"] | {"class": "between_steps"}]:
        host = row["host_ns"]
        sums[row["class"]] += sum(host[cause] for cause in causes)
        sums["input"] += host["input"]
    for name in sums:
        sums[name] /= 1e6 * report["program"]["per_step"]
    return sums


def took_ms(report, steps) -> collections.Counter:
    """The pauses of a mean step, of those that the report looks at."""
    used = [step for first, last in report["steps"]["used"]
            for step in steps[first:last + 1]]
    took = collections.Counter()
    for step in used:
        for place, ms in step.items():
            took[place.split(":")[0]] += ms / len(used)
    return took


def run(kind, seed, names) -> dict:
    """The report of each program, and how long it paused where."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        subprocess.run(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "-o", trace, "--", PYTHON,
             PROGRAM, folder, kind, str(seed), MILLISECONDS, str(STEPS),
             *names], capture_output=True, check=True)
        found = {}
        for name in names:
            out = json.loads(pathlib.Path(folder, f"{name}.json").read_text())
            file, = trace.glob(f"*-{out['pid']}-*.dltap")
            report = json.loads(subprocess.run(
                [DLTAP, "report", "--json", file], capture_output=True,
                text=True, check=True).stdout)
            assert report["steps"]["count"] == STEPS, report["steps"]
            found[name] = report, out["took_ms"]
    return found


class PausedProgramsTest(unittest.TestCase):
    def check(self, kind):
        left = list(NAMES)
        for seed in range(RUNS):
            without, paused = (run(each, seed, left)
                               for each in ("none", kind))
            left = [name for name in left
                    if not self.is_alike(name, kind, without[name][0],
                                         *paused[name])]
            if not left:
                return
        self.fail(f"pauses come back elsewhere in {left}")

    def is_alike(self, name, kind, without, paused, steps) -> bool:
        took = took_ms(paused, steps)
        before, after = (host_ms(report, CAUSES[kind])
                         for report in (without, paused))
        self.assertTrue(took)
        alike = True
        for each in sorted(took):
            added = after[each] - before[each]
            print(f"{name} {kind:5} {each:13} took {took[each]:6.2f} ms a "
                  f"step, report {added:6.2f}")
            alike &= (abs(added - took[each]) <=
                      max(TOLERANCE * took[each], LITTLE_MS))
        return alike

    def test_busy(self):
        self.check("busy")

    def test_sleep(self):
        self.check("sleep")


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        raise unittest.SkipTest(PYTHON)
    unittest.main(argv=sys.argv[:1])
