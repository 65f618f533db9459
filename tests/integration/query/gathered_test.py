# SPDX-License-Identifier: Apache-2.0
"""What is small on each rank is kept a second time, of all ranks in one file:
questions have the same answers, whatever became of the ranks since. Needs numpy
and pyarrow."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import questions_test
from job import Fault

dq = questions_test.dq
DLTAP = os.environ["DLTAP"]


def pack(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([DLTAP, "pack", "--parquet", *map(str, arguments)],
                          text=True, capture_output=True, check=False)


def gathered(dataset: pathlib.Path) -> set[str]:
    return {path.parent.name.removeprefix("table=")
            for path in dataset.glob("run=*/table=*/_gathered.parquet")}


class Gathered(unittest.TestCase):
    def setUp(self):
        self.asked = questions_test.Asked(
            {"with_kernels": True}, tensor=2, pipeline=2, data=4, steps=8,
            seed=3, faults=(Fault("slow_gpu", 2, 3),))
        self.path = self.asked.path

    def answers(self) -> dict:
        return {name: self.asked.ask(name) for name in dq.question_names()}

    def gather(self):
        done = pack(self.path, "--run", "one", "--gather")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_question_has_the_same_answer(self):
        before = self.answers()
        self.gather()
        self.assertEqual(gathered(self.path), {
            "collectives", "steps", "classes", "durations", "devices", "looks",
            "runs"})
        # Read from there: the parts of a rank are nowhere else.
        shutil.rmtree(self.path / "run=one/table=steps/rank=2")
        shutil.rmtree(self.path / "run=one/table=classes/rank=2")
        self.assertEqual(self.answers(), before)

    def test_a_rank_that_was_packed_again_is_read_from_its_own_parts(self):
        self.gather()
        other = questions_test.Asked(
            {"with_kernels": True}, tensor=2, pipeline=2, data=4, steps=8,
            seed=3)
        time.sleep(0.01)  # a clock of files may tick slowly
        for table in dq.TABLES:
            place = f"run=one/table={table}/rank=2"
            if (self.path / place).exists():
                shutil.rmtree(self.path / place)
                shutil.copytree(other.path / place, self.path / place,
                                copy_function=shutil.copyfile)
                os.utime(self.path / place)
        after = self.answers()
        for path in self.path.glob("run=*/table=*/_gathered.parquet"):
            path.unlink()
        self.assertEqual(after, self.answers())
        self.assertEqual(self.asked.named("late", "verdict", "straggler"),
                         set())

    def test_a_rank_that_is_gone_is_gone(self):
        self.gather()
        for table in dq.TABLES:
            shutil.rmtree(self.path / f"run=one/table={table}/rank=5",
                          ignore_errors=True)
        self.assertEqual(
            self.asked.dataset.rows("SELECT count(DISTINCT rank) AS n, "
                                    "max(rank) AS most FROM steps"),
            [{"n": 15, "most": 15}])

    def test_a_rank_whose_packing_did_not_end_is_left_out(self):
        self.gather()
        shutil.rmtree(self.path / "run=one/table=runs/rank=5")
        for table in ("steps", "runs", "kernels"):
            self.assertEqual(self.asked.dataset.rows(
                f"SELECT count(DISTINCT rank) AS n FROM {table}"), [{"n": 15}])

    def test_folders_that_are_no_rank_s_count_for_nothing(self):
        before = self.answers()
        for name in ("rank=5.old", "rank=05", "rank=", "rank=x"):
            for table in ("steps", "collectives", "runs"):
                shutil.copytree(self.path / f"run=one/table={table}/rank=5",
                                self.path / f"run=one/table={table}" / name)
        self.assertEqual(self.answers(), before)
        self.gather()
        self.assertEqual(self.answers(), before)

    def test_what_a_newer_dltap_gathered_is_not_read(self):
        import pyarrow.parquet as pq
        before = self.answers()
        self.gather()
        for path in self.path.glob("run=*/table=*/_gathered.parquet"):
            table = pq.ParquetFile(path).read()
            meta = {**table.schema.metadata, b"dltap.schema_version": b"99"}
            pq.write_table(table.slice(0, 1).replace_schema_metadata(meta),
                           path)
        self.assertEqual(self.answers(), before)

    def test_a_broken_file_is_named(self):
        self.gather()
        (self.path / "run=one/table=steps/_gathered.parquet").write_bytes(
            b"PAR1 nothing PAR1")
        done = subprocess.run([DLTAP, "query", self.path, "steps"], text=True,
                              capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("table=steps/_gathered.parquet", done.stderr)

    def test_two_runs_are_kept_apart(self):
        questions_test.write.write(
            questions_test.job.Simulation(questions_test.job.Job(
                tensor=1, pipeline=1, data=3, steps=4)), self.path, run="two")
        before = self.answers()
        self.gather()
        self.assertEqual(self.answers(), before)
        self.assertNotEqual(
            pack(self.path, "--run", "three", "--gather").returncode, 0)


class ByItself(unittest.TestCase):
    def test_many_new_ranks_are_gathered_and_few_are_not(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            traces = [self.trace(folder, rank) for rank in range(70)]
            for first, last, ranks in ((0, 10, 0), (10, 66, 66), (66, 70, 66)):
                done = pack(folder / "set", *traces[first:last])
                self.assertEqual(done.returncode, 0, done.stderr)
                files = list(folder.glob("set/run=*/table=runs/_gathered*"))
                self.assertEqual(len(files), 1 if ranks else 0)
                if ranks:
                    import pyarrow.parquet as pq
                    self.assertEqual(pq.ParquetFile(files[0]).read().num_rows,
                                     ranks)
                rows = questions_test.asking.Dataset(folder / "set").rows(
                    "SELECT count(DISTINCT rank) AS ranks, sum(kernels) AS "
                    "kernels FROM durations")
                self.assertEqual(rows, [{"ranks": last, "kernels": 4 * last}])

    def trace(self, folder: pathlib.Path, rank: int) -> pathlib.Path:
        path = folder / f"{rank}.json"
        path.write_text(json.dumps({
            "distributedInfo": {"rank": rank, "world_size": 70},
            "traceEvents": [
                {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
                 "ts": 10 + 20 * i, "dur": 5,
                 "args": {"stream": 7, "device": 0, "correlation": i}}
                for i in range(4)]}))
        return path


if __name__ == "__main__":
    unittest.main()
