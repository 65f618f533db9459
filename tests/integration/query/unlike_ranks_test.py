# SPDX-License-Identifier: Apache-2.0
"""Ranks are compared with what is like them: steps that are numbered
differently, several devices in a process, collectives at the begin of a step,
communicators of which too little is known. Needs numpy and pyarrow."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from questions_test import Asked, asking, write
from job import Fault
import pyarrow.parquet as pq

MS = 1_000_000


def named(asked: Asked, question: str, column: str, value: str) -> set:
    return {(r["rank"], r["since_step"]) for r in asked.ask(question, top=9999)
            if r[column] == value}


class StepNumbers(unittest.TestCase):
    NUMBERED = ({2: (0, 3)}, {2: (6, 1)}, {0: (0, 2)}, {1: (0, 4), 2: (5, 1)})

    def ask(self, renumber: dict, **options) -> Asked:
        return Asked(tensor=1, pipeline=1, data=6, steps=14,
                     write_options={"renumber": renumber}, **options)

    def test_steps_that_grow_make_no_straggler_of_who_counts_otherwise(self):
        for renumber in self.NUMBERED:
            with self.subTest(renumber):
                asked = self.ask(renumber, growth=1.1)
                for question, column in (("stragglers", "verdict"),
                                         ("late", "verdict")):
                    self.assertEqual(
                        named(asked, question, column, "straggler"), set())
                self.assertEqual({r["cause"] for r in asked.ask("cause")},
                                 {"usual"})
                for row in asked.ask("steps"):
                    self.assertLess(row["slowest_of_median"], 1.05)

    def test_since_when_is_by_the_number_that_the_others_have(self):
        for renumber in self.NUMBERED:
            with self.subTest(renumber):
                asked = self.ask(renumber, faults=(Fault("slow_gpu", 2, 5),))
                for question, column, value in (
                        ("stragglers", "verdict", "straggler"),
                        ("late", "verdict", "straggler"),
                        ("cause", "cause", "gpu")):
                    self.assertEqual(named(asked, question, column, value),
                                     {(2, 5)}, question)

    def test_the_map_has_the_steps_of_all_ranks_in_one_column(self):
        plain = {(r["rank"], r["step"]): r["step_ms"]
                 for r in self.ask({}, growth=1.1).ask("heatmap")}
        asked = self.ask({2: (0, 3)}, growth=1.1)
        for row in asked.ask("heatmap"):
            self.assertEqual(row["step_ms"], plain[row["rank"], row["step"]])

    def test_it_is_said(self):
        rows = self.ask({2: (0, 3)}).ask("ranks")
        self.assertEqual([(r["finding"], r["rank"]) for r in rows],
                         [("steps are numbered otherwise", 2)])
        self.assertEqual(self.ask({}).ask("ranks"), [])


class Stages(unittest.TestCase):
    def test_a_stage_with_more_layers_is_an_uneven_partition(self):
        for shape in ((1, 4, 4), (2, 2, 4), (1, 2, 2)):
            tensor, pipeline, data = shape
            last = tensor * pipeline - 1  # a rank of the last stage
            asked = Asked(tensor=tensor, pipeline=pipeline, data=data,
                          faults=(Fault("long_stage", last),))
            ranks = {r for r in range(tensor * pipeline * data)
                     if r // tensor % pipeline == pipeline - 1}
            with self.subTest(shape):
                rows = asked.ask("stages")
                self.assertEqual({r["rank"] for r in rows
                                  if r["verdict"] == "uneven"}, ranks)
                self.assertEqual({r["stage"] for r in rows
                                  if r["verdict"] == "uneven"}, {pipeline - 1})
                self.assertEqual(named(asked, "stragglers", "verdict",
                                       "straggler"), set())
                self.assertEqual({r["cause"] for r in asked.ask("cause")},
                                 {"usual"})
                said = report_of(asked.path)["verdict"]
                self.assertIn(f"Stage {pipeline} of {pipeline}", said[0])
                self.assertIn("divided unevenly", said[0])
                self.assertNotIn("cause: not found", " ".join(said))

    def test_a_stage_whose_gpus_are_all_slow_is_not_called_uneven(self):
        ranks = {1, 3, 5, 7}
        asked = Asked(tensor=1, pipeline=2, data=4,
                      faults=tuple(Fault("slow_gpu", r, 0, 1.5)
                                   for r in ranks))
        self.assertEqual({r["rank"] for r in asked.ask("stages")
                          if r["verdict"] == "slow"}, ranks)
        said = " ".join(report_of(asked.path)["verdict"])
        self.assertIn("its GPUs are slower", said)
        self.assertNotIn("unevenly", said)

    def test_stages_that_are_there_once_are_compared(self):
        """By places in one communicator, or with one for each pair."""
        for pairs in (False, True):
            for stages, more in ((4, 2), (4, 0), (2, 1), (5, 4)):
                with self.subTest(pairs=pairs, stages=stages, more=more):
                    asked = Asked(tensor=1, pipeline=stages, data=1,
                                  write_options={"pairs": pairs},
                                  faults=(Fault("long_stage", more, 0, 1.5),))
                    rows = asked.ask("stages")
                    self.assertEqual([(r["stage"], r["rank"]) for r in rows],
                                     [(s, s) for s in range(stages)])
                    self.assertEqual({r["rank"] for r in rows
                                      if r["verdict"] == "uneven"}, {more})
                    said = report_of(asked.path)["verdict"]
                    self.assertIn(f"Stage {more + 1} of {stages}", said[0])
                    self.assertEqual(len(said), 1, said)
                    self.assertEqual([r["stage"] for r in
                                      asked.ask("bubbles", top=99)
                                      if r["rank"] == more], [more])

    def test_stages_of_several_replicas_are_found_by_pairs_too(self):
        for tensor, pipeline, data in ((2, 3, 2), (1, 4, 3)):
            asked, plain = (Asked(tensor=tensor, pipeline=pipeline, data=data,
                                  write_options={"pairs": pairs},
                                  faults=(Fault("long_stage", tensor),))
                            for pairs in (True, False))
            self.assertEqual(asked.ask("stages"), plain.ask("stages"))
            self.assertEqual({r["stage"] for r in plain.ask("stages")
                              if r["verdict"] == "uneven"}, {1})

    def test_stages_that_are_there_once_and_run_nearly_the_same_are_alone(
            self):
        """The first has no gradient of its input, the last has the loss."""
        asked = Asked(tensor=1, pipeline=3, data=1,
                      faults=(Fault("long_stage", 1, 0, 1.05),))
        for rank in range(3):
            path = (asked.path / "run=one/table=steps" / f"rank={rank}" /
                    "part-0.parquet")
            table = pq.ParquetFile(path).read()
            kernels = [k + 2 * rank for k in table["kernels"].to_pylist()]
            place = table.schema.get_field_index("kernels")
            pq.write_table(table.set_column(
                place, table.schema.field(place), [kernels]), path)
        self.assertEqual({r["cause"] for r in asked.ask("cause")}, {"usual"})
        self.assertEqual({r["verdict"] for r in asked.ask("stragglers")},
                         {"alone"})

    def test_one_slow_rank_makes_no_uneven_stage(self):
        asked = Asked(tensor=1, pipeline=2, data=4,
                      faults=(Fault("slow_gpu", 3, 0, 2.0),))
        self.assertEqual({r["verdict"] for r in asked.ask("stages")},
                         {"usual"})
        self.assertEqual(named(asked, "cause", "cause", "gpu"), {(3, 0)})


class Alone(unittest.TestCase):
    def test_who_is_compared_with_none_is_not_said_to_take_no_longer(self):
        asked = Asked(tensor=1, pipeline=1, data=6,
                      faults=(Fault("slow_gpu", 2, 0, 1.5),),
                      write_options={"halved": (2,)})
        self.assertEqual({r["rank"] for r in asked.ask("stragglers")
                          if r["verdict"] == "alone"}, {2})
        report = report_of(asked.path)
        self.assertEqual([r["alone"] for r in report["worst"]
                          if r["named_by_late"]], [True])
        said = " ".join(report["verdict"])
        self.assertIn("Rank 2 makes collectives", said)
        self.assertIn("cause: not known: no other rank runs so many kernels",
                      said)
        self.assertNotIn("longer than elsewhere", said)


def report_of(path: pathlib.Path) -> dict:
    return json.loads(subprocess.run(
        [os.environ["DLTAP"], "report", "--json", path], check=True,
        capture_output=True).stdout)


class ByHand(unittest.TestCase):
    """Rows written one by one; times in ms."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, rank: int, table: str, rows: list[dict]) -> None:
        columns = {name: [row.get(name) for row in rows] for name in rows[0]}
        columns["process"] = f"node:{rank}"
        for name in ("begin_ns", "end_ns"):
            columns[name] = [None if ms is None else
                             write.EPOCH + int(ms * MS)
                             for ms in columns[name]]
        write.write_table(self.path, "one", rank, table, columns, len(rows))

    def write_run(self, rank: int, ranks: int) -> None:
        self.write(rank, "runs", [{
            "begin_ns": 0, "end_ns": 100, "host": "node", "complete": True,
            "world_size": ranks, "lost": 0, "format": "dltap"}])

    def write_steps(self, rank: int, steps: list[dict]) -> None:
        none = dict.fromkeys(
            "comm_exposed_ns copy_exposed_ns idle_ns not_observed_ns input_ns "
            "dependency_ns".split(), 0)
        self.write(rank, "steps", [
            {"use": "used", "device": 0, "kernels": 100, **none,
             "compute_ns": int((s["end_ns"] - s["begin_ns"]) * MS), **s}
            for s in steps])

    def ask(self, question: str, **values) -> list[dict]:
        return asking.Dataset(self.path).ask(question, **values)


class Devices(ByHand):
    def model_halves(self, ranks: int) -> None:
        """The second half of the model takes twice as long."""
        for rank in range(ranks):
            self.write_run(rank, ranks)
            self.write_steps(rank, [
                {"step": s, "device": d, "kernels": 100 + 60 * d,
                 "begin_ns": 10 * s, "end_ns": 10 * s + 4 + 4 * d}
                for s in range(8) for d in (0, 1)])

    def test_halves_of_a_model_are_no_stragglers(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks):
                self.model_halves(ranks)
                self.assertNotIn("straggler", {
                    r["verdict"] for r in self.ask("stragglers")})
                self.assertEqual({r["cause"] for r in self.ask("cause")},
                                 {"usual"})

    def test_a_step_of_two_devices_is_as_long_as_a_step(self):
        self.model_halves(2)
        self.assertEqual({r["step_ms"] for r in self.ask("heatmap")}, {6.0})

    def test_a_slow_device_among_alike_ones_of_a_process_is_found(self):
        self.write_run(0, 1)
        self.write_steps(0, [
            {"step": s, "device": d, "begin_ns": 20 * s,
             "end_ns": 20 * s + (12 if d == 2 and s >= 5 else 8)}
            for s in range(12) for d in range(4)])
        self.assertEqual([(r["device"], r["since_step"])
                          for r in self.ask("stragglers")
                          if r["verdict"] == "straggler"], [(2, 5)])
        self.assertEqual([(r["cause"], r["since_step"])
                          for r in self.ask("cause")], [("gpu", 5)])


class Collectives(ByHand):
    RANKS = 4

    def write_collectives(self, rank: int, rows: list[dict]) -> None:
        self.write(rank, "collectives", [
            {"device": 0, "communicator": "world", "ranks": self.RANKS,
             "communicator_rank": rank, "kind": "all_gather", "bytes": 8,
             **row} for row in rows])

    def test_work_that_is_waited_for_in_the_next_step_is_of_its_own(self):
        """One collective a step, at its begin."""
        length = [10 if s < 5 else 14 for s in range(12)]
        begin = [sum(length[:s]) for s in range(12)]
        for rank in range(self.RANKS):
            self.write_run(rank, self.RANKS)
            own = [14 if rank == 2 and s >= 5 else 10 for s in range(12)]
            self.write_steps(rank, [
                {"step": s, "begin_ns": begin[s], "end_ns": begin[s] + own[s]}
                for s in range(12)])
            self.write_collectives(rank, [
                {"nth": s, "step": s, "end_ns": begin[s] + 1,
                 "begin_ns": begin[s] + 0.5 if s == 0 else
                 begin[s - 1] + own[s - 1] + 0.5} for s in range(12)])
        self.assertEqual([(r["rank"], r["since_step"])
                          for r in self.ask("late")
                          if r["verdict"] == "straggler"], [(2, 5)])

    def test_one_member_of_who_knows_how_many_waits_for_nobody(self):
        self.write_run(0, 2)
        self.write_collectives(0, [
            {"nth": n, "ranks": None, "begin_ns": n,
             "end_ns": n + 1 if n < 3 else None} for n in range(5)])
        self.assertEqual(self.ask("missing"), [])
        self.write_collectives(0, [
            {"nth": n, "ranks": 2, "begin_ns": n,
             "end_ns": n + 1 if n < 3 else None} for n in range(5)])
        self.assertIn("did not finish",
                      {r["finding"] for r in self.ask("missing")})

    def test_that_broadcasts_alone_align_nobody_is_said(self):
        for rank in range(self.RANKS):
            self.write_run(rank, self.RANKS)
            self.write_steps(rank, [{"step": s, "begin_ns": 10 * s,
                                     "end_ns": 10 * s + 10}
                                    for s in range(8)])
            self.write_collectives(rank, [
                {"nth": n, "step": n, "communicator": name, "kind": kind,
                 "begin_ns": 10 * n + 5, "end_ns": 10 * n + 6}
                for name, kind in (("world", "all_reduce"),
                                   ("rest", "broadcast")) for n in range(8)])
        said = [w for w in report_of(self.path)["warnings"] if "broadcast" in w]
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].startswith("8 "), said)


if __name__ == "__main__":
    unittest.main()
