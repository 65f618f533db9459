# SPDX-License-Identifier: Apache-2.0
"""The named questions find what is wrong with jobs of which all is known, and
nothing where nothing is. Needs Python's numpy and pyarrow."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/dataset"))
try:
    import asking
    import job
    import write
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from job import Fault  # noqa: E402

dq = asking.dq
SEEDS = int(os.environ.get("DLTAP_QUERY_SEEDS", "5"))


class Asked:
    """A simulated job as a data set, in a folder of its own."""

    def __init__(self, write_options: dict | None = None,
                 simulation: type = job.Simulation, **options):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.simulation = simulation(job.Job(**options))
        self.writer = write.write(self.simulation, self.path,
                                  **(write_options or {}))
        self.dataset = asking.Dataset(self.path)

    def __del__(self):
        self.folder.cleanup()

    def ask(self, name: str, **values: object) -> list[dict]:
        return self.dataset.ask(name, **values)

    def named(self, name: str, column: str, value: str) -> set[int]:
        return {row["rank"] for row in self.ask(name, top=10000)
                if row[column] == value}


class Heads(unittest.TestCase):
    def test_every_question_has_a_head_that_holds(self):
        for name in dq.question_names():
            with self.subTest(name):
                question = dq.read_question(name)
                self.assertRegex(question.question, r"^[A-Z].*\?$")
                self.assertTrue(question.example.startswith(
                    f"dltap query DATASET {name}"))
                body = "".join(line for line in question.text.splitlines(True)
                               if not line.startswith("--"))
                self.assertEqual(set(re.findall(r"\{\{(\w+)\}\}", body)),
                                 set(question.parameters))
                for table in dq.TABLES:
                    used = re.search(rf"(FROM|JOIN)\s+{table}\b", body)
                    self.assertEqual(bool(used), table in question.uses,
                                     table)
                self.assertNotRegex(body, r"(?i)\bIN\s*\(\s*SELECT")
                self.assertIn("ORDER BY", body)

    def test_tables_are_those_that_dltap_packs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "run=none").mkdir()
            for table, columns in dq.TABLES.items():
                packed = {row["column_name"] for row in
                          asking.Dataset(path).rows(
                              f"DESCRIBE SELECT * FROM {table}")}
                self.assertLessEqual({"run", "rank", *columns}, packed, table)


class Literals(unittest.TestCase):
    TEXTS = ("", "it's", "a\\'b", "'; DROP TABLE x; --", "{{top}}",
             "naïve 名前 \U0001f600", "line\nend", "%_\"`", "a\tb\\")

    def test_texts_stay_texts_whatever_they_hold(self):
        parameter = dq.Parameter("run", "text", '""', "")
        asked = Asked()
        for text in self.TEXTS:
            row, = asked.dataset.rows("SELECT " + dq.literal(parameter, text) +
                                " AS text")
            self.assertEqual(row["text"], text)

    def test_program_and_script_ask_the_same(self):
        def words(sql):
            return "".join(sql.split())

        for name in dq.question_names():
            question = dq.read_question(name)
            self.assertEqual(words(asking.rendered(name)),
                             words(dq.render(question, {})), name)
            values = {"text": self.TEXTS[1:], "integer": ("-5", "12"),
                      "real": ("0.05", "-1e3", "7")}
            for parameter in question.parameters.values():
                for value in values[parameter.type]:
                    set_ = {parameter.name: value}
                    self.assertEqual(words(asking.rendered(name, **set_)),
                                     words(dq.render(question, set_)))

    def test_numbers_are_numbers_or_refused(self):
        integer = dq.Parameter("top", "integer", "1", "")
        real = dq.Parameter("part", "real", "1", "")
        self.assertEqual(dq.literal(integer, "-5"), "(-5)")
        self.assertEqual(dq.literal(real, "0.05"), "0.05e0")
        for bad in ("", "1 OR 1=1", "1e3", "0x10", "٣", "1;"):
            with self.assertRaises(dq.QueryError):
                dq.literal(integer, bad)
        for bad in ("", "nan", "inf", "1.", "1e999", "1 "):
            with self.assertRaises(dq.QueryError):
                dq.literal(real, bad)

    def test_unknown_names_are_refused(self):
        for name in ("nothing", "../x", ""):
            with self.assertRaises(dq.QueryError):
                dq.read_question(name)
        with self.assertRaises(dq.QueryError):
            dq.render(dq.read_question("late"), {"topp": "1"})


class Healthy(unittest.TestCase):
    def test_no_question_cries_wolf(self):
        shapes = ((2, 2, 4), (1, 1, 8), (1, 4, 3), (4, 1, 4), (8, 1, 1))
        for seed in range(SEEDS):
            tensor, pipeline, data = shapes[seed % len(shapes)]
            asked = Asked(tensor=tensor, pipeline=pipeline, data=data,
                          seed=seed, jitter=0.02, steps=8 + seed % 5,
                          everyone=seed % 2 == 0)
            with self.subTest(seed=seed):
                self.assertEqual(asked.named("stragglers", "verdict",
                                             "straggler"), set())
                self.assertEqual(asked.named("late", "verdict", "straggler"),
                                 set())
                self.assertEqual({r["cause"] for r in asked.ask("cause")},
                                 {"usual"})
                self.assertEqual(asked.ask("missing"), [])
                self.assertEqual(asked.ask("ranks"), [])


class Faults(unittest.TestCase):
    def test_a_slow_gpu_is_found_three_ways_with_its_step(self):
        for seed, shape in enumerate(((2, 2, 4), (1, 1, 8), (1, 2, 4),
                                      (4, 1, 4), (2, 4, 3))):
            tensor, pipeline, data = shape
            rank = (seed * 7 + 3) % (tensor * pipeline * data)
            asked = Asked(tensor=tensor, pipeline=pipeline, data=data,
                          seed=seed, faults=(Fault("slow_gpu", rank, 5),))
            with self.subTest(shape=shape):
                self._check(asked, rank, "gpu")

    def _check(self, asked: Asked, rank: int, cause: str) -> None:
        slow = [r for r in asked.ask("stragglers")
                if r["verdict"] == "straggler"]
        self.assertEqual([(r["rank"], r["since_step"]) for r in slow],
                         [(rank, 5)])
        self.assertAlmostEqual(slow[0]["slower_by"], 0.3, delta=0.03)
        self.assertEqual(asked.named("late", "verdict", "straggler"), {rank})
        first = asked.ask("cause")[0]
        self.assertEqual((first["rank"], first["cause"], first["since_step"]),
                         (rank, cause, 5))

    def test_what_the_step_waits_is_what_the_fault_costs(self):
        healthy = Asked(seed=4, steps=16)
        slow = Asked(seed=4, steps=16, faults=(Fault("slow_gpu", 6, 0, 1.5),))
        median = [sorted(r["step_ms"] for r in a.ask("steps"))[8]
                  for a in (healthy, slow)]
        blame = slow.ask("late", top=1)[0]
        self.assertEqual(blame["rank"], 6)
        # Waits between stages of the pipeline are not counted.
        self.assertLessEqual(blame["blame_ms_per_step"],
                             1.1 * (median[1] - median[0]))
        self.assertGreater(blame["blame_ms_per_step"],
                           0.5 * (median[1] - median[0]))

    def test_a_slow_host_is_no_slow_gpu(self):
        asked = Asked(data=6, ranks_per_host=4,
                      faults=(Fault("slow_host", 9, 3),))
        ranks = {8, 9, 10, 11}
        self.assertEqual(asked.named("cause", "cause", "host"), ranks)
        self.assertEqual(asked.named("stragglers", "verdict", "straggler"),
                         ranks)
        self.assertEqual(asked.named("late", "verdict", "straggler"), ranks)
        since = {r["since_step"] for r in asked.ask("cause")
                 if r["cause"] == "host"}
        self.assertEqual(since, {3})

    def test_longer_sequences_are_data(self):
        asked = Asked(data=6, faults=(Fault("long_data", 5, 4),))
        self.assertEqual(asked.named("cause", "cause", "data"), {4, 5, 6, 7})
        self.assertEqual(asked.named("cause", "cause", "gpu"), set())
        work = {r["step"]: r["most_work_of_median"] for r in
                asked.ask("steps")}
        self.assertLess(work[3], 1.05)
        self.assertGreater(work[4], 1.2)

    def test_sequences_that_vary_blame_no_rank_but_show_in_steps(self):
        asked = Asked(data=8, uneven=0.2, steps=16)
        self.assertEqual(asked.named("cause", "cause", "gpu"), set())
        work = [r["most_work_of_median"] for r in asked.ask("steps")]
        self.assertGreater(sorted(work)[len(work) // 2], 1.1)

    def test_random_lengths_make_nobody_a_lasting_straggler(self):
        for seed, (data, steps) in enumerate(((8, 8), (8, 16), (4, 40))):
            with self.subTest(data=data, steps=steps):
                asked = Asked(data=data, uneven=0.3, steps=steps, seed=seed)
                for name in ("stragglers", "late"):
                    verdicts = {row["verdict"]
                                for row in asked.ask(name, top=1000)}
                    self.assertEqual(verdicts, {"usual"}, name)
                self.assertEqual(asked.named("cause", "cause", "data"), set())

    def test_a_slow_gpu_among_random_lengths_is_told_from_data(self):
        asked = Asked(data=6, uneven=0.3, steps=16,
                      faults=(Fault("slow_gpu", 3, 8),))
        self.assertEqual(asked.named("cause", "cause", "gpu"), {3})
        self.assertEqual(asked.named("cause", "cause", "data"), set())

    def test_a_slow_link_is_no_slow_rank(self):
        asked = Asked(data=6, faults=(Fault("slow_link", 5, 4, 3.0),))
        self.assertEqual(asked.named("cause", "cause", "link"), {5})
        self.assertEqual(asked.named("cause", "cause", "gpu"), set())
        self.assertEqual(asked.named("stragglers", "verdict", "straggler"),
                         set())
        self.assertEqual(asked.named("late", "verdict", "straggler"), set())
        first = asked.ask("cause")[0]
        self.assertEqual(first["since_step"], 4)

    def test_who_died_is_who_never_came(self):
        asked = Asked(data=6, faults=(Fault("dead", 5, 6),))
        rows = asked.ask("missing")
        self.assertEqual(rows[0]["finding"], "never came: others wait")
        self.assertEqual(rows[0]["rank"], 5)
        communicator = asked.writer.hung(5)
        self.assertEqual({rows[0]["communicator"]}, communicator)
        per_step = 2 * 4 * 2  # layers, micro-batches, passes
        self.assertEqual(rows[0]["nth"], 6 * per_step)

    def test_a_call_that_was_left_out_and_one_of_another_size(self):
        rows = Asked(faults=(Fault("skip", 5, 11),)).ask("missing")
        self.assertEqual([(r["finding"], r["rank"], r["nth"]) for r in rows],
                         [("never came", 5, 11)])
        rows = Asked(faults=(Fault("size", 5, 6),)).ask("missing")
        self.assertEqual([(r["finding"], r["rank"], r["nth"]) for r in rows],
                         [("other size, type or root", 5, 6)])


class Clocks(unittest.TestCase):
    def _truth(self, asked: Asked) -> list[tuple[float, float]]:
        clocks = asked.writer.clocks
        drift = clocks.drift - clocks.drift[0]
        offset = clocks.offset - clocks.offset[0]
        return [(offset[h] / 1e3, drift[h] * 1e6) for h in clocks.host_of]

    def test_offsets_and_drifts_are_found(self):
        for everyone in (True, False):
            asked = Asked(data=8, pipeline=2, steps=40, drift=50e-6,
                          offset_ns=5e6, seed=3, everyone=everyone)
            rows = asked.ask("clocks")
            self.assertEqual({r["verdict"] for r in rows}, {"aligned"})
            for row, (offset, drift) in zip(rows, self._truth(asked)):
                self.assertAlmostEqual(row["offset_us"], offset, delta=3.0)
                self.assertAlmostEqual(row["drift_ppm"], drift, delta=2.0)
                self.assertLess(row["residual_us"] or 0, 3.0)

    def test_what_has_nothing_in_common_is_refused(self):
        asked = Asked(data=4, write_options={"empty": (6,)})
        verdicts = {r["rank"]: r["verdict"] for r in asked.ask("clocks")}
        self.assertTrue(verdicts.pop(6).startswith("refused: no collectives"))
        self.assertEqual(set(verdicts.values()), {"aligned"})

    def test_a_clock_that_is_set_meanwhile_is_refused_and_blames_nobody(self):
        job_ends = max(m.end.max()
                       for m in job.Simulation(job.Job()).meetings)
        for by in (3e6, 50e6, -50e6):
            with self.subTest(by=by):
                asked = Asked(write_options={
                    "set_clocks": {1: (job_ends / 2, by)}})
                verdicts = {r["rank"]: r["verdict"]
                            for r in asked.ask("clocks")}
                for rank, verdict in verdicts.items():
                    self.assertEqual(verdict.split(":")[0],
                                     "aligned" if rank < 8 else "refused")
                self.assertEqual(asked.named("late", "verdict", "straggler"),
                                 set())

    def test_transfers_and_waits_are_those_of_the_job(self):
        asked = Asked(data=8, steps=20, drift=50e-6)
        truth: dict[str, list[float]] = {}
        for m in asked.simulation.meetings:
            if m.lane is None:
                truth.setdefault(m.communicator, []).append(
                    float(m.begin.max() - m.begin.mean()))
        for row in asked.ask("collectives", top=1000):
            if row["kind"] != "all_reduce":
                continue
            waits = truth[row["communicator"]]
            self.assertEqual(row["collectives"], len(waits))
            self.assertAlmostEqual(row["mean_wait_us"] * 1e3,
                                   sum(waits) / len(waits), delta=4000)
            expected = {16 << 20: 200, 200 << 20: 3000, 4: 50}[row["bytes"]]
            self.assertAlmostEqual(row["transfer_us"], expected,
                                   delta=2 + 0.06 * expected)


class Groups(unittest.TestCase):
    def test_groups_are_recovered_from_communicators(self):
        for shape in ((2, 2, 4), (4, 1, 4), (1, 4, 3), (1, 1, 8), (8, 1, 1)):
            tensor, pipeline, data = shape
            asked = Asked(tensor=tensor, pipeline=pipeline, data=data)
            for row in asked.ask("groups"):
                name = row["communicator"].split("-")[0]
                expected = {"pipe": "pipeline", "world": "everyone"}.get(
                    name, name)
                if shape == (8, 1, 1) and name == "tensor":
                    continue  # nothing tells it from a group of data
                self.assertEqual(row["purpose"], expected,
                                 (shape, row["communicator"]))

    def test_members_of_a_communicator_that_was_split_off_have_places(self):
        for pairs in (False, True):
            plain, split = (Asked(
                pipeline=4, data=2, tensor=1,
                write_options={"split": split, "pairs": pairs})
                for split in (False, True))
            for question in ("groups", "stages", "bubbles", "late"):
                with self.subTest(question, pairs=pairs):
                    self.assertNotEqual(plain.ask(question), [])
                    self.assertEqual(split.ask(question),
                                     plain.ask(question))


class WhatIsMissing(unittest.TestCase):
    def test_a_missing_and_an_empty_rank_are_said_and_nothing_fails(self):
        asked = Asked(write_options={"without": (3,), "empty": (6,)})
        rows = asked.ask("ranks")
        self.assertEqual([(r["finding"], r["rank"], r["n"]) for r in rows],
                         [("ranks without a trace", None, 1),
                          ("no steps", 6, 0)])
        for name in dq.question_names():
            asked.ask(name)
        self.assertEqual(asked.named("stragglers", "verdict", "straggler"),
                         set())

    def test_a_data_set_of_nothing_answers_with_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "run=none").mkdir()
            for name in dq.question_names():
                self.assertEqual(asking.Dataset(path).ask(name), [], name)

    def test_hostile_names_change_nothing(self):
        hostile = "'; DROP VIEW kernels; -- {}\\\" 名前 {{{{top}}}}"
        run = "it's a run"
        asked = Asked(write_options={"with_kernels": True, "run": run,
                                     "name_of": hostile})
        names = asked.dataset.rows("SELECT DISTINCT name FROM kernels")
        self.assertIn({"name": hostile.format("gelu")}, names)
        for name in dq.question_names():
            question = dq.read_question(name)
            if "run" in question.parameters and name not in (
                    "missing", "ranks"):
                self.assertTrue(asked.ask(name, run=run), name)
                self.assertEqual(asked.ask(name, run="other"), [], name)


class Runs(unittest.TestCase):
    def test_runs_are_kept_apart_and_compared(self):
        asked = Asked(seed=1, write_options={"run": "before"})
        slow = job.Simulation(job.Job(
            seed=2, faults=(Fault("slow_gpu", 5, 0),)))
        write.write(slow, asked.path, run="after", device_name="A100")
        found = [(r["run"], r["rank"]) for r in
                 asked.ask("stragglers", top=1000)
                 if r["verdict"] == "straggler"]
        self.assertEqual(found, [("after", 5)])
        trend = {(r["run"], r["of"]): r["step_ms"]
                 for r in asked.ask("trend", by="gpu")}
        self.assertEqual(set(trend), {("before", "H100"), ("after", "A100")})
        self.assertGreater(trend["after", "A100"],
                           1.1 * trend["before", "H100"])


class Sums(unittest.TestCase):
    def test_classes_add_up_to_the_kernels(self):
        asked = Asked(write_options={"with_kernels": True})
        rows = asked.dataset.rows(
            "SELECT class, direction, sum(end_ns - begin_ns) / "
            "(SELECT count(*) FROM steps) / 1e6 AS mean, "
            "quantile_cont(end_ns - begin_ns, 0.99) / 1e3 AS p99 "
            "FROM kernels GROUP BY ALL")
        by_class = {(r["class"], r["direction"]): r
                    for r in asked.ask("classes")}
        for found in rows:
            row = by_class[found["class"], found["direction"]]
            mean, p99 = found["mean"], found["p99"]
            self.assertAlmostEqual(row["mean_ms"], mean, places=3)
            # A bucket is 19 % wide; its middle is 9 % off at most.
            self.assertAlmostEqual(row["kernel_p99_us"] / p99, 1, delta=0.1)

    def test_a_heat_map_adds_up(self):
        asked = Asked()
        rows = asked.ask("heatmap")
        self.assertEqual(len(rows), 16 * 12)
        for r in rows:
            self.assertAlmostEqual(
                r["step_ms"], r["compute_ms"] + r["comm_exposed_ms"] +
                r["copy_exposed_ms"] + r["idle_ms"], places=2)
            self.assertAlmostEqual(r["comm_exposed_ms"],
                                   r["wait_ms"] + r["transfer_ms"], delta=0.1)

    def test_bubbles_are_those_of_the_schedule(self):
        asked = Asked(pipeline=4, tensor=1, data=4, jitter=0.001)
        share = {r["stage"]: r["bubble_share"] for r in asked.ask("bubbles")}
        waits = {stage: 0.0 for stage in share}
        for m in asked.simulation.meetings:
            for stage, begin in zip(m.lane or (), m.begin):
                waits[stage] += (m.begin.max() - begin) / 4
        length = sum((e - b).mean() for b, e in asked.simulation.bounds)
        for stage, value in share.items():
            self.assertAlmostEqual(value, waits[stage] / length, delta=0.01)
        # (stages - 1) / (stages - 1 + micro-batches), of what is no update
        self.assertLess(max(share.values()), 3 / 7)


if __name__ == "__main__":
    unittest.main()
