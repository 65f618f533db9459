# SPDX-License-Identifier: Apache-2.0
"""Spark and DuckDB answer every named question alike, on 64 ranks: with
threads, with two executors, and when one of them is killed in the middle.
Needs pyspark and Java."""
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/support/dataset")]
try:
    import asking
    import duck
    import job
    import pyspark  # noqa: F401
    import write
    subprocess.run(["java", "-version"], capture_output=True, check=True)
except (ImportError, OSError) as error:
    print(f"skipped: {error}")
    sys.exit(77)
import spark_query  # noqa: E402

dq = duck.dq
HOSTILE = "'; DROP VIEW kernels; -- {}\\ 名前"
FAULTS = (job.Fault("slow_gpu", 9, 3), job.Fault("slow_link", 30, 2, 2.0),
          job.Fault("size", 12, 4))
# Little data: compiling each stage would be most of the time.
SETTINGS = {"spark.sql.shuffle.partitions": "2", "spark.ui.enabled": "false",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.executor.memory": "1g"}


def make_dataset(folder: str) -> None:
    simulation = job.Simulation(job.Job(data=16, steps=6, micro_batches=2,
                                        faults=FAULTS))
    write.write(simulation, pathlib.Path(folder), with_kernels=True,
                name_of=HOSTILE, run="it's one", without=(40,), empty=(50,))


def alike(one, other) -> bool:
    """Sums of doubles may end in another digit, and then round otherwise."""
    if isinstance(one, float) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=2e-3)
    return one == other


def executors_of(spark) -> list[int]:
    """Their processes; Spark starts others, too, for a moment."""
    handles = spark.sparkContext._jvm.java.lang.ProcessHandle
    found = []
    for child in handles.current().children().toArray():
        try:
            command = pathlib.Path(f"/proc/{child.pid()}/cmdline").read_bytes()
        except FileNotFoundError:
            continue
        if b"CoarseGrainedExecutorBackend" in command:
            found.append(child.pid())
    return found


class Alike(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        make_dataset(self.folder.name)
        self.duck = duck.connect(pathlib.Path(self.folder.name))

    def spark_at(self, master: str):
        spark = spark_query.session(master, SETTINGS)
        self.addCleanup(spark.stop)
        spark.sparkContext.setLogLevel("ERROR")
        spark_query.make_views(
            spark, self.folder.name,
            spark_query.incomplete_ranks(spark, self.folder.name))
        return spark

    def compare(self, spark, name: str) -> None:
        sql = dq.render(dq.read_question(name), {})
        expected = self.duck.execute(sql)
        columns = [c[0] for c in expected.description]
        rows = expected.fetchall()
        found_columns, found, _ = spark_query.ask(spark, name, {})
        self.assertEqual(found_columns, columns, name)
        self.assertEqual(len(found), len(rows), name)
        for one, other in zip(rows, found):
            self.assertTrue(all(map(alike, one, other)), (name, one, other))

    def compare_all(self, master: str) -> None:
        spark = self.spark_at(master)
        for name in dq.question_names():
            with self.subTest(name):
                begin = time.monotonic()
                self.compare(spark, name)
                print(f"{master} {name}: {time.monotonic() - begin:.1f} s",
                      flush=True)

    def test_with_threads(self):
        self.compare_all("local[2]")

    def test_with_two_executors(self):
        self.compare_all("local-cluster[2,1,2048]")

    def test_when_an_executor_is_killed(self):
        spark = self.spark_at("local-cluster[2,1,2048]")
        self.compare(spark, "ranks")  # both are there
        executors = executors_of(spark)
        self.assertEqual(len(executors), 2)
        tracker = spark.sparkContext.statusTracker()
        killed = []

        def kill() -> None:
            while not tracker.getActiveStageIds():
                time.sleep(0.01)
            time.sleep(0.5)
            os.kill(executors[0], 9)
            killed.append(executors[0])
        killer = threading.Thread(target=kill)
        killer.start()
        self.compare(spark, "cause")
        killer.join()
        self.assertEqual(killed, executors[:1])
        self.assertNotIn(executors[0], executors_of(spark))


class Gathered(Alike):
    """What `dltap query` reads, which takes most from the gathered files, with
    a rank that was packed again since, ranks that are left out, and folders
    that are none of a rank's. Which master works it out is another matter."""
    test_with_two_executors = None
    test_when_an_executor_is_killed = None

    def setUp(self):
        super().setUp()
        self.asked = asking.Dataset(pathlib.Path(self.folder.name))
        run = self.asked.path / "run=it's one"
        shutil.rmtree(run / "table=runs/rank=7")
        subprocess.run([asking.DLTAP, "pack", "--parquet", self.asked.path,
                        "--run", "it's one", "--gather"], check=True)
        self.assertTrue((run / "table=steps/_gathered.parquet").exists())
        time.sleep(0.01)  # a clock of files may tick slowly
        os.utime(run / "table=runs/rank=20")
        shutil.rmtree(run / "table=runs/rank=21")
        for name in ("rank=x", "rank=022", "rank="):
            shutil.copytree(run / "table=steps/rank=22",
                            run / "table=steps" / name)

    def compare(self, spark, name: str) -> None:
        found = spark_query.ask(spark, name, {})
        rows = self.asked.ask(name)
        self.assertEqual(len(found.rows), len(rows), name)
        for one, other in zip(rows, found.rows):
            self.assertEqual(list(one), found.columns, name)
            self.assertTrue(all(map(alike, one.values(), other)),
                            (name, one, other))


class BySubmit(unittest.TestCase):
    """`dltap query --engine spark`, from a folder with a pattern's name."""
    def setUp(self):
        parent = tempfile.TemporaryDirectory()
        self.addCleanup(parent.cleanup)
        self.folder = f"{parent.name}/a {{b}} [c]*"
        make_dataset(self.folder)

    def query(self, *arguments: str) -> subprocess.CompletedProcess:
        # pip puts spark-submit beside the interpreter.
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run(
            [os.environ["DLTAP"], "query", self.folder, *arguments],
            env={**os.environ, "PATH": path}, capture_output=True, text=True,
            check=False)

    def by_spark(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.query("--engine", "spark", "--master", "local[2]",
                          "--conf", "spark.ui.enabled=false", *arguments)

    def test_prints_what_duckdb_prints(self):
        sql = ("WITH few AS (SELECT run, rank, ')' AS text, device = 0 AS zero,"
               " CAST(NULL AS DOUBLE) AS nothing, 1e0 / 4 AS quarter FROM"
               " devices) SELECT * FROM few ORDER BY run, rank LIMIT 5")
        for form, query in (("csv", sql), ("json", sql), ("table", "ranks")):
            with self.subTest(form):
                spark = self.by_spark("--format", form, query)
                self.assertEqual(spark.returncode, 0, spark.stderr)
                self.assertEqual(spark.stdout, self.query(
                    "--format", form, query).stdout)

    def test_an_error_is_said_in_spark_s_words_and_leaves_no_rows(self):
        spark = self.by_spark("SELECT no_such FROM steps")
        self.assertEqual((spark.returncode, spark.stdout), (3, ""))
        self.assertIn("no_such", spark.stderr)
        self.assertNotIn("Traceback", spark.stderr)

    def test_a_rank_that_is_not_whole_is_named(self):
        shutil.rmtree(next(pathlib.Path(self.folder).glob(
            "run=*/table=runs/rank=7")))
        spark = self.by_spark("SELECT count(*) FROM runs")
        self.assertIn("rank 7 of run it's one is not whole", spark.stderr)


class Splitting(unittest.TestCase):
    def test_leaves_alone_what_is_not_written_plainly(self):
        for sql in ("SELECT 1", "WITH RECURSIVE a AS (SELECT 1) SELECT 2",
                    "WITH a(x) AS (SELECT 1) SELECT x FROM a",
                    "WITH a AS (SELECT 1), b(x) AS (SELECT 2) SELECT 3",
                    "WITH steps AS (SELECT 1 FROM steps) SELECT 1 FROM steps",
                    "WITH a AS (SELECT 1"):
            self.assertEqual(spark_query.split_query(sql), ([], sql))

    def test_parentheses_in_texts_names_and_comments_close_nothing(self):
        bodies = ["SELECT ')' AS x", 'SELECT "\\")" AS x', "SELECT 1 AS `)`",
                  "SELECT 1 -- )'\n", "SELECT 1 /* ) */"]
        expressions = ", ".join(f"a{i} AS ({body})"
                                for i, body in enumerate(bodies))
        split, rest = spark_query.split_query(f"WITH {expressions} SELECT 1")
        self.assertEqual([body for _, body in split], bodies)
        self.assertEqual(rest.strip(), "SELECT 1")


if __name__ == "__main__":
    unittest.main()
