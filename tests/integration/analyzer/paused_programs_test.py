#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pauses of the host come back in their class and cause, in several programs.

usage: paused_programs_test.py DLTAP PYTHON [PROGRAM...]

Runs programs of ../differential/paused.py on a simulated GPU with pauses at
half of their places, and without. What the pauses add to each class must be how
long they took, and nothing may be added elsewhere. A busy machine adds its own:
what differs is run again, and must not differ every time.
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
MILLISECONDS, STEPS = "15", 12
RUNS = 4
TOLERANCE = 0.1    # of what is paused before a class
ELSEWHERE = 0.05   # of all pauses of a step, in a class that has none
CAUSES = {"busy": ("framework", "preempted"),
          "sleep": ("blocked", "preempted")}


def host_ms(trace, causes) -> collections.Counter:
    """What the report says, a step: by class, and `input` of all."""
    report = json.loads(subprocess.run(
        [DLTAP, "report", "--json", trace], capture_output=True, text=True,
        check=True).stdout)
    assert report["steps"]["count"] == STEPS, report["steps"]
    sums = collections.Counter()
    for row in [*report["classes"],
                report["between_steps"] | {"class": "between_steps"}]:
        host = row["host_ns"]
        sums[row["class"]] += sum(host[cause] for cause in causes)
        sums["input"] += host["input"]
    for name in sums:
        sums[name] /= 1e6 * report["program"]["per_step"]
    return sums


def run(kind, seed, names) -> dict:
    """By name: what the pauses took a step, by class, and what is seen."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        subprocess.run(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "-o", trace, "--", PYTHON,
             PROGRAM, folder, kind, str(seed), MILLISECONDS, str(STEPS),
             *names], capture_output=True, check=True)
        found = {}
        for name in names:
            out = json.loads(pathlib.Path(folder, f"{name}.json").read_text())
            took = collections.Counter()
            for step in out["took_ms"][1:]:
                for place, ms in step.items():
                    took[place.split(":")[0]] += ms / (STEPS - 1)
            file, = trace.glob(f"*-{out['pid']}-*.dltap")
            found[name] = took, {kind: host_ms(file, causes)
                                 for kind, causes in CAUSES.items()}
    return found


class PausedProgramsTest(unittest.TestCase):
    def check(self, kind):
        left = list(NAMES)
        for seed in range(RUNS):
            without, paused = (run(each, seed, left)
                               for each in ("none", kind))
            left = [name for name in left
                    if not self.is_alike(name, kind, without[name][1][kind],
                                         paused[name])]
            if not left:
                return
        self.fail(f"pauses come back elsewhere in {left}")

    def is_alike(self, name, kind, without, paused) -> bool:
        took, seen = paused[0], paused[1][kind]
        self.assertTrue(took)
        alike = True
        for each in sorted(took | seen):
            added = seen[each] - without[each]
            room = max(TOLERANCE * took[each],
                       ELSEWHERE * sum(took.values()))
            if took[each] or abs(added) > room:
                print(f"{name} {kind:5} {each:13} took {took[each]:6.2f} ms "
                      f"a step, report {added:6.2f}")
            alike &= abs(added - took[each]) <= room
        return alike

    def test_busy(self):
        self.check("busy")

    def test_sleep(self):
        self.check("sleep")


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        raise unittest.SkipTest(PYTHON)
    unittest.main(argv=sys.argv[:1])
