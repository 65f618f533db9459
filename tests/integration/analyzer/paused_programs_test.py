#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pauses of the host come back in their class and cause, in several programs.

usage: paused_programs_test.py [OPTION...] DLTAP PYTHON [PROGRAM...]

Runs programs of ../differential/paused*.py, or of another --source, on a
simulated GPU. Every third step
pauses at half of the program's places; what that adds to a class and cause must
be how long the program saw it take. The steps in between tell what there is
without, and the median step that pauses is judged: a busy machine disturbs some
of them, and takes the processor away most of all behind a pause, so that the
report may have that much more. So it may have what the program itself saw a
step take longer behind a pause, whose caches and threads are cold. What differs is run again with other pauses, and
must not differ every time. Where the kernel does not tell context switches, the
report goes by means over 25 ms, and half of a pause may come back elsewhere.

On a quiet machine, all programs: --tolerance 0.03 --steps 60 --ms 20 --runs 1
"""
import argparse
import collections
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

import switches

SOURCE = pathlib.Path(__file__).resolve().parent / "programs/paused.py"
CAUSES = {"busy": "framework_ns", "sleep": "blocked_ns"}
PROGRAMS = ["paused_segmentation", "paused_critic", "paused_accumulation",
            "paused_decoding", "paused_speech", "paused_replays",
            "paused_workers", "paused_reads", "paused_handed",
            "paused_relay"]


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("dltap")
    parser.add_argument("python")
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--source", default=SOURCE,
                        help="runs them as programs/paused.py does")
    parser.add_argument("--ms", type=float, default=10)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=0.1,
                        help="of what is paused before a class in a step")
    parser.add_argument("--sampled-tolerance", type=float, default=0.5,
                        help="the same, where the kernel tells no switches")
    parser.add_argument("--little", type=float, default=0.3,
                        help="ms that may differ anyhow")
    return parser.parse_args()


def rows(table):
    with table.open() as file:
        return list(csv.DictReader(file))


def idle_ms(gaps, causes) -> dict[int, collections.Counter]:
    """What the report says of each step: by class, `input` of all, and `any`
    class."""
    steps = collections.defaultdict(collections.Counter)
    for gap in gaps:
        of_class = (gap["class"] if gap["between_steps"] == "false"
                    else "between_steps")
        step = steps[int(gap["step"])]
        ms = sum(int(gap[cause]) for cause in causes) / 1e6
        step[of_class] += ms
        step["any"] += ms
        step["input"] += int(gap["input_ns"]) / 1e6
    return steps


class Pauses:
    """What pauses took, and what the report has more."""

    EVERY = 3  # as programs/paused.py

    def __init__(self, gaps, used, out, kind, told):
        took = out["took_ms"]
        self.told = told  # by context switches
        self.idle = {}  # by whether what a busy machine took is in it
        for preempted in False, True:
            causes = (CAUSES[kind],) + ("preempted_ns",) * preempted
            idle = idle_ms(gaps, causes)
            self.idle[preempted] = [idle[i] for i in range(len(took))]
        self.steps = [i for i in range(self.EVERY - 1, len(took) - 1, self.EVERY)
                      if {i - 2, i - 1, i} <= used]
        self.step_ms = out["step_ms"]
        self.took = [collections.Counter() for _ in took]
        for sums, places in zip(self.took, took):
            for place, ms in places.items():
                sums[place.split(":")[0]] += ms

    def places(self):
        return sorted(set().union(*(self.took[i] for i in self.steps)))

    def took_at(self, place) -> float:
        return statistics.median(self.took[i][place] for i in self.steps)

    def slower(self) -> float:
        """ms that a step that pauses takes longer beside its pauses, median."""
        rest = [step - took.total()
                for step, took in zip(self.step_ms, self.took)]
        quiet = statistics.median(rest[i - 1] for i in self.steps)
        return max(0, statistics.median(rest[i] for i in self.steps) - quiet)

    def apart(self, place, preempted) -> float:
        """ms that the report has more than the pauses took, median."""
        # What is before a step's first kernel lies in the end of the step before.
        apart = [idle[place] - took[place]
                 for idle, took in zip(self.idle[preempted], self.took[1:])]
        quiet = statistics.median(apart[i - 2] for i in self.steps)
        return statistics.median(
            apart[i - 1] + apart[i] - 2 * quiet for i in self.steps)


def told_by_switches(args, trace) -> list[switches.Told]:
    dump = subprocess.run([args.dltap, "dump", trace], capture_output=True,
                          check=True, text=True)
    return switches.by_thread(dump.stdout)


def run(args, kind, seed, names) -> dict[str, Pauses]:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        subprocess.run(
            [args.dltap, "run", "--gpu", "sim:h100-sxm", "-o", trace, "--",
             args.python, args.source, folder, kind, str(seed), str(args.ms),
             str(args.steps), *names], capture_output=True, check=True)
        for name in names:
            out = json.loads(pathlib.Path(folder, f"{name}.json").read_text())
            file, = trace.glob(f"*-{out['pid']}-*.dltap")
            tables = pathlib.Path(folder, name)
            subprocess.run([args.dltap, "export", "--format", "csv", "-o",
                            tables, file], capture_output=True, check=True)
            steps, gaps = (rows(tables / f"{table}.csv")
                           for table in ("steps", "gaps"))
            # Where a step is cut in its midst, there is a rest.
            whole = [step for step in steps if step["use"] != "incomplete"]
            assert len(whole) <= args.steps <= len(steps) <= args.steps + 1, (
                name, len(steps))
            used = {int(step["step"]) for step in steps
                    if step["use"] == "used"}
            found[name] = Pauses(gaps, used, out, kind,
                                 told_by_switches(args, file))
    return found


class PausedProgramsTest(unittest.TestCase):
    def check(self, kind):
        left = ARGS.programs
        for seed in range(ARGS.runs):
            pauses = run(ARGS, kind, seed, left)
            # With an odd seed a program of one place does not pause.
            told = [name for name in left if pauses[name].places()]
            if seed == 0:
                self.assertEqual(told, left)
            alike = [name for name in told
                     if self.is_alike(name, kind, pauses[name])]
            left = [name for name in left if name not in alike]
            if not left:
                return
        self.fail(f"pauses come back elsewhere in {left}")

    def is_alike(self, name, kind, pauses) -> bool:
        for told in pauses.told:
            self.check_clocks(name, told)
        alike = True
        slower = pauses.slower()
        for place in pauses.places():
            took = pauses.took_at(place)
            most = pauses.apart(place, preempted=True)
            least = pauses.apart(place, preempted=False)
            print(f"{name:20} {kind:5} {place:13} took {took:6.2f} ms a step, "
                  f"report {most / took:+6.1%}, {least / took:+6.1%} without "
                  f"preemption, step {slower / took:+6.1%}", flush=True)
            tolerance = (ARGS.tolerance if pauses.told
                         else ARGS.sampled_tolerance)
            little = max(tolerance * took, ARGS.little)
            alike &= least <= little + slower and most >= -little
        return alike

    # The kernel counts CPU time and run delay by another way than it tells
    # switches. A switch itself is CPU time, some us; most of what a thread takes
    # that looks for events on a busy machine.
    def check_clocks(self, name, told):
        little = 0.05 * told.cpu_ms + 0.04 * told.switches + 0.5
        self.assertLess(abs(told.runs_ms - told.cpu_ms), little, (name, told))
        self.assertLess(told.preempted_ms, told.run_delay_ms + little,
                        (name, told))

    def test_busy(self):
        self.check("busy")

    def test_sleep(self):
        self.check("sleep")


if __name__ == "__main__":
    ARGS = options()
    unittest.main(argv=sys.argv[:1])
