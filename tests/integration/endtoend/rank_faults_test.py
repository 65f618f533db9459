# SPDX-License-Identifier: Apache-2.0
"""Faults of a rank, a link and a host in a simulated job are found by name.

usage: rank_faults_test.py PROGRAM DUCKDB-FOLDER
"""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = sys.argv.pop(1)
DUCKDB = pathlib.Path(sys.argv.pop(1))
if not (DUCKDB / "libduckdb.so").exists():
    print("skipped: no libduckdb.so; scripts/setup.sh --tests fetches it")
    sys.exit(77)
RANKS = 8
STEPS = 24


class Job:
    """A run of the program, as a data set."""

    def __init__(self, faults="", patience_s=100):
        self.folder = tempfile.TemporaryDirectory()
        self.dataset = pathlib.Path(self.folder.name, "set")
        self.done = chain.run(
            [chain.DLTAP, "run", "--gpu", f"sim:{chain.GPU}", "--gpus", RANKS,
             "-o", pathlib.Path(self.folder.name, "trace"), "--pack",
             self.dataset, "--", PROGRAM, STEPS, RANKS, patience_s],
            os.environ | {"DLTAP_SIM_CLOCK": "virtual",
                          "DLTAP_SIM_FAULTS": faults,
                          "LD_LIBRARY_PATH": str(DUCKDB)},
            check=False)

    def ask(self, question, *options) -> list[dict]:
        done = chain.run([chain.DLTAP, "query", "--format", "json",
                          self.dataset, question, *options],
                         os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)})
        return json.loads(done.stdout)

    def named(self, question, column, *values) -> set[int]:
        return {row["rank"] for row in self.ask(question)
                if row[column] in values}

    def causes(self) -> dict[int, str]:
        return {row["rank"]: row["cause"] for row in self.ask("cause")
                if row["cause"] != "usual"}

    def since(self, question="cause") -> int:
        return self.ask(question)[0]["since_step"]


class RankFaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sound = Job()
        # When the middle step begins, on the clock of the rules.
        row = cls.sound.ask(
            "SELECT min(s.begin_ns - c.begin_ns) AS since, min(s.step) AS step "
            "FROM steps s, (SELECT min(begin_ns) AS begin_ns FROM calls) c "
            f"WHERE s.rank = 0 AND s.step = {STEPS // 2}")[0]
        cls.middle = row["since"] / 1e9

    def test_nobody_is_named_in_a_sound_job(self):
        self.assertEqual(self.sound.done.returncode, 0, self.sound.done.stderr)
        self.assertEqual(self.sound.causes(), {})
        self.assertEqual(self.sound.ask("missing"), [])
        for question in ("late", "stragglers"):
            self.assertEqual(
                self.sound.named(question, "verdict", "straggler"), set())

    def test_a_slow_gpu(self):
        job = Job(f"gpu:5@{self.middle}-:x0.7")
        self.assertEqual(job.causes(), {5: "gpu"})
        for question in ("late", "stragglers"):
            self.assertEqual(job.named(question, "verdict", "straggler"), {5})
        self.assertAlmostEqual(job.since(), STEPS // 2, delta=1)
        self.assertAlmostEqual(job.since("stragglers"), STEPS // 2, delta=1)

    def test_a_slow_host(self):
        job = Job(f"host:2@{self.middle}-:x0.01")
        self.assertEqual(job.causes(), {2: "host"})
        self.assertEqual(job.named("late", "verdict", "straggler"), {2})
        self.assertAlmostEqual(job.since(), STEPS // 2, delta=1)

    def test_a_slow_port_is_its_rank_s(self):
        job = Job(f"link:6-*@{self.middle}-:x0.02")
        self.assertEqual(job.causes(), {6: "link"})
        self.assertEqual(job.named("stragglers", "verdict", "straggler"),
                         set())
        self.assertAlmostEqual(job.since(), STEPS // 2, delta=1)

    def test_a_slow_link_is_that_of_both_its_ends(self):
        job = Job("link:1-5:x0.02")
        self.assertEqual(job.causes(), {1: "link", 5: "link"})

    def test_who_waits_and_who_never_came(self):
        for fault in ("kill", "hang"):
            with self.subTest(fault):
                job = Job(f"dead:2@{self.middle}:{fault}",
                          patience_s=8 if fault == "hang" else 60)
                self.assertEqual(job.done.returncode, 1, job.done.stderr)
                rows = job.ask("missing")
                self.assertEqual(
                    (rows[0]["finding"], rows[0]["rank"]),
                    ("never came: others wait", 2),
                    (rows, job.done.stderr))
                of_it = [row for row in rows if all(
                    row[key] == rows[0][key]
                    for key in ("communicator", "kind", "nth"))]
                waiting = {row["rank"] for row in of_it
                           if row["finding"] == "waits"}
                self.assertTrue(waiting)
                self.assertNotIn(2, waiting)
                unended = job.ask("SELECT count(*) AS n FROM collectives "
                                  "WHERE end_ns IS NULL AND rank <> 2")
                self.assertGreater(unended[0]["n"], 0)


if __name__ == "__main__":
    unittest.main()
