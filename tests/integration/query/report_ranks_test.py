# SPDX-License-Identifier: Apache-2.0
"""`dltap report DATASET`: its sentences, its numbers, what it says of data that
is missing, broken or hostile."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import questions_test
from job import Fault, Job, Simulation

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import report_schema  # noqa: E402
import write  # noqa: E402

DLTAP = os.environ["DLTAP"]
SCHEMA = json.loads((ROOT / "analyzer/ranks/ranks.schema.json").read_text())
HOSTILE = "<img src=x onerror=alert(1)> \x1b[31m'; DROP VIEW steps; --"


def dltap(*arguments, environment=None, **options):
    return subprocess.run([DLTAP, *map(str, arguments)], text=True, check=False,
                          capture_output=not options,
                          env={**os.environ, **(environment or {})}, **options)


def report(path, *arguments) -> str:
    done = dltap("report", path, *arguments)
    if done.returncode == 5:
        print(f"skipped: {done.stderr}")
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sentences(text: str) -> str:
    """On one line, however they are wrapped."""
    return " ".join(text.split())


class Verdict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.asked = questions_test.Asked(
            {"with_kernels": True}, tensor=1, pipeline=1, data=8, steps=16,
            faults=(Fault("slow_gpu", 2, 10),))
        cls.text = report(cls.asked.path)
        cls.json = json.loads(report(cls.asked.path, "--json"))

    def test_it_says_who_makes_whom_wait_how_long_since_when_and_why(self):
        self.assertRegex(
            sentences(self.text),
            r"Rank 2 makes collectives of the 7 other ranks wait 7\.\d+ ms in each "
            r"35\.\d ms step since step 10; cause: its GPU")
        rank, = [r for r in self.json["worst"] if r["named_by_late"]]
        self.assertEqual((rank["rank"], rank["cause"], rank["since_step"]),
                         (2, "gpu", 10))
        self.assertTrue(rank["named_by_stragglers"] and rank["named_by_cause"])

    def test_it_says_what_a_step_would_be_without_that(self):
        replayed = json.loads(questions_test.asking.run("--format", "json", "--replay",
                                         self.asked.path))
        what_if = self.json["what_if"]
        self.assertEqual(what_if, {name: replayed[name] for name in what_if})
        self.assertRegex(
            sentences(self.text),
            r"a step takes 27\.\d ms in place of 3\d\.\d ms; (100|9\d\.\d) % of "
            r"the difference goes with the work of rank 2 alone")

    def test_json_is_by_the_schema_and_has_the_answers_of_query(self):
        report_schema.check(self.json, SCHEMA)
        for question, answer in self.json["answers"].items():
            settings = {"steps": {"by": "length", "top": 5},
                        "ranks": {"all": 1}}.get(question, {})
            self.assertEqual(answer, self.asked.ask(question, **settings),
                             question)
        cells = [dict(zip(self.json["heatmap"]["columns"], row))
                 for row in self.json["heatmap"]["rows"]]
        self.assertEqual(cells, self.asked.ask("heatmap"))

    def test_the_text_has_the_numbers_of_the_json(self):
        overview, = self.json["answers"]["overview"]
        for key in ("mean_ms", "p50_ms", "p99_ms", "longest_ms", "compute_ms",
                    "comm_exposed_ms", "wait_ms", "transfer_ms"):
            self.assertIn(f"{overview[key]:.2f}", self.text, key)
        for row in self.json["answers"]["classes"]:
            self.assertRegex(self.text, rf"(?m)^{row['class'].replace('_', ' ').upper()} .*"
                             rf"{row['mean_ms']:.2f} +{row['least_ms']:.2f} +"
                             rf"{row['most_ms']:.2f} ")
        for row in self.json["answers"]["sizes"]:
            self.assertRegex(
                self.text, rf"(?m)^{row['kind']} .* {row['bus_gb_per_s']:.1f} +"
                rf"{row['share_of_link'] * 100:.1f}")
        self.assertIn(f"{overview['most_memory_bytes'] / 2**30:.1f} GiB on "
                      f"rank {overview['fullest_rank']}", self.text)

    def test_the_map_shows_the_slow_rank_dark_since_its_step(self):
        lines = {int(line.split()[1]): line for line in self.text.splitlines()
                 if re.match(r"rank \d+ ", line)}
        self.assertEqual(set(lines), set(range(8)))
        dark = {rank for rank, line in lines.items()
                if line[15 + 2 * 29:].startswith(" " * 10 + "█" * 6)}
        self.assertEqual(dark, {2})

    def test_ascii_is_ascii_and_no_line_is_wider_than_the_page(self):
        for width in (60, 100, 140):
            text = report(self.asked.path, "--ascii", "--width", width)
            self.assertTrue(text.isascii())
            self.assertLessEqual(max(map(len, text.splitlines())), width)

    def test_steps_are_chosen(self):
        early = report(self.asked.path, "--steps", "0..9")
        self.assertIn("No rank stands out", early)
        self.assertIn("10 steps", early)

    def test_ranks_of_one_host_are_one_sentence(self):
        asked = questions_test.Asked(data=6, ranks_per_host=4,
                                     faults=(Fault("slow_host", 9, 3),))
        self.assertIn("Ranks 8 to 11 make collectives of the 20 other ranks "
                      "wait up to", sentences(report(asked.path)))

    def test_a_slow_link_is_said_though_nobody_is_late(self):
        asked = questions_test.Asked(data=6,
                                     faults=(Fault("slow_link", 5, 4, 3.0),))
        self.assertRegex(sentences(report(asked.path)),
                         r"The link of rank 5 is slow: .* since step 4; nobody "
                         r"comes late by it")

    def test_who_never_came_goes_first(self):
        asked = questions_test.Asked(data=6, faults=(Fault("dead", 5, 6),))
        first = json.loads(report(asked.path, "--json"))["verdict"][0]
        self.assertRegex(first, r"^Rank 5 never came to all_reduce \d+ of .*"
                         "others wait for it")


class ManyOfThem(unittest.TestCase):
    def test_ranks_and_steps_that_do_not_fit_share_rows_and_columns(self):
        asked = questions_test.Asked(tensor=2, pipeline=1, data=20, steps=40,
                                     micro_batches=1, layers=1,
                                     faults=(Fault("slow_gpu", 33, 20),))
        text = report(asked.path)
        self.assertIn("a row is that of 2 ranks", text)
        self.assertIn("a column is the mean of 2 steps", text)
        row, = re.findall(r"(?m)^rank 32-33 .*", text)
        self.assertIn("█" * 10, row[15 + 2 * 29:])


class Runs(unittest.TestCase):
    def test_the_newest_is_reported_and_others_by_name(self):
        asked = questions_test.Asked(seed=1, write_options={"run": "old"})
        folder = asked.path / "run=old/table=runs"
        write.write(Simulation(Job(seed=2, offset_ns=0, drift=0)), asked.path,
                    run="new")
        self.assertTrue(folder.exists())
        default = report(asked.path)
        other = report(asked.path, "--run", "old")
        self.assertIn("of 2", default)
        self.assertNotEqual("run old" in default, "run new" in default)
        self.assertIn("run old", other)
        done = dltap("report", asked.path, "--run", "odl")
        self.assertEqual(done.returncode, 3)
        self.assertIn("old", done.stderr)


class WhatIsMissing(unittest.TestCase):
    def test_it_stands_above_the_numbers(self):
        asked = questions_test.Asked(
            write_options={"without": (3,), "empty": (6,)})
        text = report(asked.path)
        numbers = text.index("step ")
        for finding in ("1 of 16 ranks have no trace here",
                        "rank 6: no steps",
                        "clocks of rank 6 are not aligned"):
            at = sentences(text[:text.index("mean of medians")]).find(finding)
            self.assertGreaterEqual(at, 0, finding)
        self.assertGreater(numbers, 0)

    def test_a_data_set_of_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "run=none").mkdir()
            self.assertIn("no ranks", report(folder))
            report_schema.check(json.loads(report(folder, "--json")), SCHEMA)

    def test_one_rank_is_compared_with_none(self):
        asked = questions_test.Asked(tensor=1, pipeline=1, data=1)
        self.assertIn("There is one rank", report(asked.path))

    def test_without_steps_nobody_is_judged(self):
        asked = questions_test.Asked(
            write_options={"empty": tuple(range(16))})
        self.assertIn("No steps were found", report(asked.path))

    def test_without_collectives_it_says_what_is_not_known(self):
        asked = questions_test.Asked(faults=(Fault("slow_gpu", 5, 4),))
        shutil.rmtree(asked.path / "run=one/table=collectives")
        text = sentences(report(asked.path))
        self.assertIn("no collectives: who waits for whom is not known", text)
        self.assertRegex(text, "Rank 5 works [0-9.]+ % longer than ranks that "
                         "run the same since step 4")


class Broken(unittest.TestCase):
    def setUp(self):
        self.asked = questions_test.Asked(tensor=1, pipeline=1, data=4)

    def part(self, table: str) -> pathlib.Path:
        return (self.asked.path / f"run=one/table={table}" / "rank=2" /
                "part-0.parquet")

    def test_a_broken_part_is_named(self):
        self.part("steps").write_bytes(b"PAR1 nothing PAR1")
        done = dltap("report", self.asked.path)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("table=steps/rank=2", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_rank_that_was_not_packed_to_its_end_is_said(self):
        shutil.rmtree(self.part("runs").parent)
        self.assertIn("rank 2 of run one is not whole",
                      sentences(report(self.asked.path)))

    def test_columns_that_an_older_dltap_did_not_write_are_unknown(self):
        import pyarrow.parquet as pq
        for rank in range(4):
            path = self.asked.path / f"run=one/table=devices/rank={rank}"
            table = pq.ParquetFile(path / "part-0.parquet").read()
            if rank < 3:
                table = table.drop(["peak_memory_bytes", "link_bytes_per_s"])
            pq.write_table(table, path / "part-0.parquet")
        self.assertIn("known of 1 rank", sentences(report(self.asked.path)))

    def test_a_newer_data_set_is_refused_as_that(self):
        import pyarrow.parquet as pq
        for part in self.asked.path.rglob("part-0.parquet"):
            table = pq.ParquetFile(part).read()
            pq.write_table(table.replace_schema_metadata(
                {"dltap.schema_version": "99"}), part)
        done = dltap("report", self.asked.path)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("newer than this dltap", done.stderr)

    def test_no_library_no_report_but_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "dltap"
            shutil.copy(DLTAP, program)
            done = subprocess.run(
                [program, "report", self.asked.path], text=True, check=False,
                capture_output=True, env={**os.environ, "HOME": folder,
                                          "LD_LIBRARY_PATH": ""})
        if done.returncode == 0:
            self.skipTest("DuckDB is where every program finds it")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("libduckdb.so", done.stderr)

    def test_a_full_disk_is_said(self):
        with open("/dev/full", "w") as full:
            done = dltap("report", self.asked.path, stdout=full,
                         stderr=subprocess.PIPE)
        self.assertNotEqual(done.returncode, 0)

    def test_options_of_traces_are_refused_by_name(self):
        for option in (["--by", "layer"], ["--csv"], ["--rank", "1"],
                       ["--steps", "9..3"]):
            done = dltap("report", self.asked.path, *option)
            self.assertEqual(done.returncode, 2, option)
            self.assertIn(option[0], done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            done = dltap("report", folder, "--run", "x")
            self.assertEqual(done.returncode, 2)


class Hostile(unittest.TestCase):
    def test_names_stay_text(self):
        run = "it's <b>{{top}} 名前"
        asked = questions_test.Asked(tensor=1, pipeline=1, data=4,
                                     write_options={"run": run})
        fact = next((asked.path / f"run={run}/table=runs").rglob("*.parquet"))
        import pyarrow as pa
        import pyarrow.parquet as pq
        table = pq.ParquetFile(fact).read()
        at = table.column_names.index("command")
        pq.write_table(table.set_column(at, "command", pa.array([HOSTILE])),
                       fact)
        text = report(asked.path)
        self.assertIn(run, text)
        self.assertNotIn("\x1b", text)
        self.assertEqual(json.loads(report(asked.path, "--json"))["run"], run)
        page = asked.path / "page.html"
        report(asked.path, "--html", page)
        self.assertNotIn("<img", page.read_text())


if __name__ == "__main__":
    unittest.main()
