# SPDX-License-Identifier: Apache-2.0
"""`late`, `stragglers` and `cause` name the same ranks since the same step, or
are silent where one is known to be blind; the heat map adds up to the steps.

Of planted faults: each kind, several ranks, strengths, sizes and seeds.
DLTAP_QUERY_SEEDS=N tries more."""
import collections
import os
import unittest

import questions_test
from job import Fault

SEEDS = int(os.environ.get("DLTAP_QUERY_SEEDS", "1"))
# tensor, pipeline, data
SHAPES = ((1, 1, 8), (2, 2, 4), (1, 2, 12), (4, 1, 8), (2, 4, 8))
STRENGTHS = (1.3, 1.1, 2.0)
SINCE = 5
CAUSES = {"slow_gpu": "gpu", "slow_host": "host", "long_data": "data"}


def planted(kind: str, job) -> set[int]:
    """The ranks that a fault is of."""
    fault = job.faults[0]
    group = {"slow_host": job.ranks_per_host,
             "long_data": job.tensor * job.pipeline}.get(kind, 1)
    return {r for r in range(job.ranks) if r // group == fault.rank // group}


def named(asked, question: str, column: str, values: set[str]) -> set:
    return {(r["rank"], r["since_step"]) for r in asked.ask(question, top=9999)
            if r[column] in values}


def case(kind: str, number: int):
    tensor, pipeline, data = SHAPES[number % len(SHAPES)]
    ranks = tensor * pipeline * data
    return questions_test.Asked(
        tensor=tensor, pipeline=pipeline, data=data, seed=100 + number,
        steps=12, ranks_per_host=2, faults=(Fault(
            kind, (7 * number + 3) % ranks, SINCE,
            STRENGTHS[number % len(STRENGTHS)]),))


class Agreement(unittest.TestCase):
    def test_three_ways_name_the_ranks_that_were_slowed(self):
        for number in range(len(SHAPES) * SEEDS):
            for kind, cause in CAUSES.items():
                if (number + len(kind)) % 2 and number >= 2:
                    continue  # each kind at half of the sizes
                asked = case(kind, number)
                truth = {(r, SINCE) for r in planted(kind,
                                                     asked.simulation.job)}
                with self.subTest(kind=kind, number=number):
                    self.assertEqual(named(asked, "late", "verdict",
                                           {"straggler"}), truth)
                    self.assertEqual(named(asked, "stragglers", "verdict",
                                           {"straggler"}), truth)
                    self.assertEqual(named(asked, "cause", "cause", {cause}),
                                     truth)

    def test_a_fault_of_the_last_steps_is_found_all_ways(self):
        asked = questions_test.Asked(
            data=8, tensor=1, pipeline=1, steps=60, seed=9,
            faults=(Fault("slow_gpu", 4, 57),))
        for question in ("late", "stragglers"):
            self.assertEqual(named(asked, question, "verdict", {"straggler"}),
                             {(4, 57)}, question)
        self.assertEqual(named(asked, "cause", "cause", {"gpu"}), {(4, 57)})

    def test_one_of_two_ranks_is_named(self):
        asked = questions_test.Asked(
            data=2, tensor=1, pipeline=1, steps=20, seed=9,
            faults=(Fault("slow_gpu", 1, 5),))
        for question in ("late", "stragglers"):
            self.assertEqual(named(asked, question, "verdict", {"straggler"}),
                             {(1, 5)}, question)

    def test_one_last_step_without_the_fault_is_no_recovery(self):
        asked = questions_test.Asked(
            data=8, tensor=1, pipeline=1, steps=20, seed=9,
            faults=(Fault("slow_gpu", 4, 0), Fault("slow_gpu", 4, 19, 1 / 1.3)))
        for question in ("late", "stragglers"):
            self.assertEqual(named(asked, question, "verdict", {"straggler"}),
                             {(4, 0)}, question)

    def test_a_slow_link_is_seen_by_cause_alone(self):
        for number in range(SEEDS):
            asked = questions_test.Asked(
                data=6, seed=number,
                faults=(Fault("slow_link", 5 + number, SINCE, 3.0),))
            self.assertEqual(named(asked, "cause", "cause", {"link"}),
                             {(5 + number, SINCE)})
            for question in ("late", "stragglers"):
                self.assertEqual(named(asked, question, "verdict",
                                       {"straggler"}), set(), question)


    def test_what_was_slow_from_the_first_and_got_worse_began_at_the_first(
            self):
        asked = questions_test.Asked(
            data=8, tensor=1, pipeline=1, steps=20, seed=3,
            faults=(Fault("slow_gpu", 4, 0, 1.3),
                    Fault("slow_gpu", 4, 12, 1.1)))
        for question, column, value in (("late", "verdict", "straggler"),
                                        ("stragglers", "verdict", "straggler"),
                                        ("cause", "cause", "gpu")):
            self.assertEqual(named(asked, question, column, {value}), {(4, 0)},
                             question)


class Map(unittest.TestCase):
    def test_it_adds_up_to_the_steps_and_to_the_overview(self):
        asked = case("slow_gpu", 1)
        cells = asked.ask("heatmap")
        by_step = collections.defaultdict(list)
        for cell in cells:
            by_step[cell["step"]].append(cell)
        for row in asked.ask("steps"):
            for column in ("compute_ms", "comm_exposed_ms", "idle_ms"):
                mean = (sum(c[column] for c in by_step[row["step"]]) /
                        row["devices"])
                self.assertAlmostEqual(row[column], mean, places=3)
        overview, = asked.ask("overview")
        for column in ("compute_ms", "comm_exposed_ms", "idle_ms", "wait_ms",
                       "transfer_ms"):
            mean = sum(c[column] for c in cells) / len(cells)
            self.assertAlmostEqual(overview[column], mean, delta=0.002)

    def test_of_neighbours_the_one_with_the_longest_own_part_stands_for_all(
            self):
        asked = case("slow_gpu", 1)
        slow, = planted("slow_gpu", asked.simulation.job)
        alone = {(c["rank"], c["step"]): c for c in asked.ask("heatmap")}
        for cell in asked.ask("heatmap", ranks_per_row=8, steps_per_column=4):
            if cell["step"] >= 8 and slow // 8 * 8 == cell["first_rank"]:
                self.assertEqual(cell["rank"], slow)
            own = [alone[cell["rank"], s] for s in
                   range(cell["step"], cell["step"] + cell["steps"])]
            for column in ("compute_ms", "wait_ms", "step_ms"):
                self.assertAlmostEqual(
                    cell[column], sum(c[column] for c in own) / len(own),
                    places=3)


if __name__ == "__main__":
    unittest.main()
