# SPDX-License-Identifier: Apache-2.0
"""Ranks that have no work left, collectives that run beside work, ranks with
kernels of their own, faults of a single step: who is named, and what it costs.
Needs Python's numpy and pyarrow."""
import json
import os
import subprocess
import unittest

import questions_test
from job import BACKWARD, FORWARD, OPTIMIZER, Fault, Job, Simulation

import numpy as np

WAYS = (("late", "verdict"), ("stragglers", "verdict"), ("cause", "cause"))


class Sharded(Simulation):
    """Weights are gathered while the device computes what comes before, and
    gradients are scattered beside it."""

    def _step(self, step: int) -> None:
        ranks, begin = np.arange(self.job.ranks), self.now.copy()
        wire, asked = self.now.copy(), self.now.copy()
        for direction, ms in [(FORWARD, 1.0)] * 6 + [(BACKWARD, 2.0)] * 6:
            wire = self._beside("all_gather", step, np.maximum(wire, asked))
            self.now = np.maximum(self.now, wire)
            asked = self.now.copy()
            self._compute(step, 0, direction, ms)
            if direction == BACKWARD:
                wire = self._beside("reduce_scatter", step,
                                    np.maximum(wire, self.now))
        self.now = np.maximum(self.now, wire)
        self._compute(step, 0, OPTIMIZER, 0.5)
        self.bounds.append((begin, self.now.copy()))

    def _beside(self, kind: str, step: int, since: np.ndarray) -> np.ndarray:
        now, self.now = self.now, since.copy()
        self._meet(step, "world", kind, np.arange(self.job.ranks), 64 << 20,
                   0.3)
        ended, self.now = self.now, now
        return ended


class ShardedAndMended(Sharded):
    """Each fault is over after step 4."""

    def _factor(self, kind: str, step: int, ranks: np.ndarray) -> np.ndarray:
        return super()._factor(kind, step if step < 5 else -1, ranks)


class Asked(questions_test.Asked):
    def verdict(self) -> dict:
        return json.loads(subprocess.run(
            [os.environ["DLTAP"], "report", "--json", self.path], check=True,
            capture_output=True).stdout)

    def all_named(self) -> dict[str, set]:
        return {question: {(r["rank"], r["since_step"], r[column])
                           for r in self.ask(question, top=9999)
                           if r[column] not in ("usual", "alone")}
                for question, column in WAYS}


def step_ms(simulation: Simulation, steps: slice) -> float:
    return float(np.mean([np.median(end - begin) for begin, end in
                          simulation.bounds[steps]])) / 1e6


NOBODY = {question: set() for question, _ in WAYS}
EIGHT = {"tensor": 1, "pipeline": 1, "data": 8, "steps": 16, "seed": 1}


class NoWorkLeft(unittest.TestCase):
    """`with Join([model])`: ranks with fewer batches go on to take part."""

    def test_nobody_is_named_and_nobody_is_waited_for(self):
        for ranks, done in ((2, {1: 9}), (2, {1: 14}), (6, {2: 9}),
                            (6, {0: 9, 1: 9, 2: 12}), (4, {0: 5, 3: 6})):
            with self.subTest(ranks=ranks, done=done):
                asked = Asked(**EIGHT | {"data": ranks}, faults=tuple(
                    Fault("ends", *each) for each in done.items()))
                self.assertEqual(asked.all_named(), NOBODY)
                for row in asked.ask("late"):
                    self.assertLess(row["blame_ms_per_step"], 0.2, row)

    def test_it_is_said_of_them_alone(self):
        asked = Asked(**EIGHT, faults=(Fault("ends", 2, 9),))
        self.assertEqual([(r["finding"], r["rank"])
                          for r in asked.ask("ranks")],
                         [("a step holds those of others", 2)])
        said = asked.verdict()
        self.assertTrue(any("rank 2: a step holds" in line
                            for line in said["warnings"]), said["warnings"])

    def test_who_is_slow_meanwhile_is_found_with_its_step(self):
        for slow in (4, 11):
            asked = Asked(**EIGHT, faults=(Fault("ends", 2, 9),
                                           Fault("slow_gpu", 4, slow)))
            with self.subTest(slow=slow):
                self.assertEqual(asked.all_named(), {
                    "late": {(4, slow, "straggler")},
                    "stragglers": {(4, slow, "straggler")},
                    "cause": {(4, slow, "gpu")}})

    def test_the_overview_is_of_those_that_work(self):
        asked = Asked(**EIGHT, faults=(Fault("ends", 2, 9),))
        overview, = asked.ask("overview")
        # Nothing runs beside it: all communication is exposed.
        self.assertAlmostEqual(overview["exposed_share_of_comm"], 1.0,
                               delta=0.03)
        self.assertLess(overview["comm_ms"], 4.5)

    def test_steps_keep_the_numbers_of_those_that_work(self):
        asked = Asked(**EIGHT | {"data": 2}, faults=(Fault("ends", 1, 9),))
        self.assertEqual([r["step"] for r in asked.ask("steps")],
                         list(range(16)))


class BesideWork(unittest.TestCase):
    def test_a_delay_costs_what_the_step_is_longer(self):
        for factor in (1.2, 1.4):
            faults = (Fault("slow_gpu", 3, 5, factor),)
            asked = Asked(simulation=Sharded, **EIGHT, faults=faults)
            truth = (step_ms(asked.simulation, slice(6, None)) -
                     step_ms(Sharded(Job(**EIGHT)), slice(6, None)))
            first = asked.ask("late", top=1)[0]
            with self.subTest(factor=factor):
                self.assertEqual((first["rank"], first["since_step"],
                                  first["verdict"]), (3, 5, "straggler"))
                self.assertAlmostEqual(first["blame_ms_per_step"], truth,
                                       delta=0.1 * truth)

    def test_who_recovered_is_told_with_what_it_cost_and_not_as_the_latest(
            self):
        faults = (Fault("slow_gpu", 3, 0, 1.4),)
        asked = Asked(simulation=ShardedAndMended, **EIGHT, faults=faults)
        self.assertEqual(asked.all_named(), {
            "late": {(3, 0, "recovered")},
            "stragglers": {(3, 0, "recovered")}, "cause": set()})
        truth = (step_ms(asked.simulation, slice(0, 5)) -
                 step_ms(asked.simulation, slice(6, None)))
        self.assertAlmostEqual(asked.ask("late")[0]["blame_ms_per_step"],
                               truth, delta=0.1 * truth)
        nobody, recovered = asked.verdict()["verdict"]
        self.assertRegex(nobody, r"comes latest makes others wait 0\.\d+ ms")
        self.assertIn("Rank 3 was slow until step 5", recovered)


class OwnKernels(unittest.TestCase):
    def test_kernels_that_others_have_not_are_the_cause(self):
        asked = Asked(**EIGHT, faults=(Fault("extra_kernels", 2, 5, 1.4),))
        self.assertEqual(asked.all_named(), {
            "late": {(2, 5, "straggler")},
            "stragglers": {(2, 5, "straggler")},
            "cause": {(2, 5, "kernels")}})
        # Eight blocks forward, of 1 ms each.
        row = asked.ask("cause", top=1)[0]
        self.assertAlmostEqual(row["ms_per_step"], 8 * 0.4, delta=0.3)
        self.assertIn("its kernels, of which there are more than elsewhere",
                      asked.verdict()["verdict"][0])

    def test_a_slow_gpu_that_runs_a_few_more_is_a_slow_gpu(self):
        asked = Asked(**EIGHT, faults=(Fault("extra_kernels", 2, 0, 1.01),
                                       Fault("slow_gpu", 2, 5, 1.5)))
        self.assertEqual(asked.all_named()["cause"], {(2, 5, "gpu")})


class OneStep(unittest.TestCase):
    def test_one_step_is_no_fault_in_any_way(self):
        for step, kind in ((15, Sharded), (15, Simulation),
                           (0, _first_alone(Simulation)),
                           (0, _first_alone(Sharded))):
            asked = Asked(simulation=kind, **EIGHT,
                          faults=(Fault("slow_gpu", 3, step, 2.0),))
            with self.subTest(step=step, kind=kind):
                self.assertEqual(asked.all_named(), NOBODY)

    def test_two_steps_are_a_fault_in_all_ways(self):
        asked = Asked(**EIGHT, faults=(Fault("slow_gpu", 3, 14, 2.0),))
        self.assertEqual(asked.all_named(), {
            "late": {(3, 14, "straggler")},
            "stragglers": {(3, 14, "straggler")}, "cause": {(3, 14, "gpu")}})


def _first_alone(kind: type) -> type:
    class FirstAlone(kind):
        def _factor(self, fault: str, step: int, ranks: np.ndarray):
            return super()._factor(fault, step if step == 0 else -1, ranks)
    return FirstAlone


if __name__ == "__main__":
    unittest.main()
