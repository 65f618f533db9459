# SPDX-License-Identifier: Apache-2.0
"""Runs programs that pause, each in a process forked from this one.

Arguments: OUT KIND SEED MILLISECONDS STEPS NAME...

KIND: busy, sleep. SEED chooses every other of a program's places, the even or
the odd ones, and how long each pause takes: half to three halves of
MILLISECONDS. Every third step pauses. OUT/NAME.json has the process, how long
the pauses of each place took in each step, and how long the step took, in ms.
"""
import json
import os
import pathlib
import random
import sys
import time

sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[2] / "differential"))
import children  # noqa: E402

OUT, KIND, SEED, MILLISECONDS, STEPS = sys.argv[1:6]
EVERY = 3
PROGRAMS = {}  # by name


def program(build):
    """Registers what makes the step of a program, which pauses by `at`."""
    PROGRAMS[build.__name__] = build
    return build


class Pauses:
    """Pauses at places; each place's length is the same in each step."""

    def __init__(self, name):
        self.name = name
        self.places = {}  # to their numbers
        self.took_ms = [{}]  # a step each

    def seconds_at(self, place) -> float:
        number = self.places.setdefault(place, len(self.places))
        if len(self.took_ms) % EVERY or (number + int(SEED)) % 2:
            return 0
        chance = random.Random(f"{self.name} {place} {SEED}")
        return chance.uniform(0.5, 1.5) * float(MILLISECONDS) / 1000

    def __call__(self, place):
        seconds = self.seconds_at(place)
        if not seconds:
            return
        begin = time.perf_counter()
        if KIND == "sleep":
            time.sleep(seconds)
        else:
            end = time.thread_time() + seconds
            while time.thread_time() < end:
                pass
        self.add(place, begin)

    def add(self, place, begin):
        took = self.took_ms[-1]
        took[place] = (took.get(place, 0) +
                       (time.perf_counter() - begin) * 1e3)


def run_all(make, finish=lambda: None):
    """`make(name, at)` makes the step of a program, which pauses by `at`."""
    def run(name):
        at = Pauses(name)
        step = make(name, at)
        step_ms = []
        for _ in range(int(STEPS)):
            begin = time.perf_counter()
            step()
            step_ms.append((time.perf_counter() - begin) * 1e3)
            at.took_ms.append({})
        finish()
        pathlib.Path(OUT, f"{name}.json").write_text(json.dumps(
            {"pid": os.getpid(), "took_ms": at.took_ms[:-1],
             "step_ms": step_ms}))

    for name in sys.argv[6:]:
        _, message = children.in_child(lambda: run(name))
        if message:
            print(f"{name}: {message}", file=sys.stderr)
