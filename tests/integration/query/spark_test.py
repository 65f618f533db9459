# SPDX-License-Identifier: Apache-2.0
"""Spark and DuckDB answer every named question alike, on 64 ranks: with
threads, with two executors, and when one of them is killed in the middle.
Needs pyspark and Java."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests/support/dataset")]
try:
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
        spark_query.make_views(spark, self.folder.name)
        return spark

    def compare(self, spark, name: str) -> None:
        sql = dq.render(dq.read_question(name), {})
        expected = self.duck.execute(sql)
        columns = [c[0] for c in expected.description]
        rows = expected.fetchall()
        found_columns, found = spark_query.ask(spark, name, {})
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
        handles = spark.sparkContext._jvm.java.lang.ProcessHandle
        self.compare(spark, "ranks")  # both are there
        executors = [p.pid() for p in handles.current().children().toArray()]
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
        self.assertNotIn(executors[0], [
            p.pid() for p in handles.current().children().toArray()])


if __name__ == "__main__":
    unittest.main()
