#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dltap on exports of Nsight Systems, against sums that sqlite3 makes here.

usage: nsys_traces_test.py DLTAP SCHEMA [TRACES]

The real exports are skipped, saying so, when their folder is not there.
"""
import collections
import glob
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report_schema  # noqa: E402

DLTAP, SCHEMA = sys.argv[1:3]
TRACES = sys.argv[3] if len(sys.argv) > 3 else ""
GPU_TABLES = ("KERNEL", "MEMCPY", "MEMSET")


def run(*args: str) -> subprocess.CompletedProcess:
    return subprocess.run([DLTAP, *args], capture_output=True, text=True,
                          check=False)


def dump(path: str) -> dict:
    """Kernel time and busy time of each (pid, device) from dltap's text."""
    done = run("dump", path)
    assert done.returncode == 0, done.stderr
    spans = collections.defaultdict(list)
    pid = None
    for line in done.stdout.splitlines():
        words = line.split()
        if words and words[0] == "process":
            pid = int(re.search(r"pid=(\d+)", line).group(1))
        match = re.match(r"(kernel|memcpy|memset) .*?t=(\d+)\.\.(\d+)ns", line)
        if match:
            device = re.search(r" device=(\d+)", line)
            spans[pid, int(device.group(1)) if device else 0].append(
                (int(match.group(2)), int(match.group(3))))
    return spans


def union(spans: list[tuple[int, int]]) -> int:
    busy, end = 0, None
    for begin, stop in sorted(spans):
        if end is None or begin > end:
            busy, end = busy + stop - begin, stop
        elif stop > end:
            busy, end = busy + stop - end, stop
    return busy


def oracle(path: str) -> dict:
    """The same, straight from the tables."""
    spans = collections.defaultdict(list)
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as db:
        tables = {row[0] for row in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'")}
        for kind in GPU_TABLES:
            table = f"CUPTI_ACTIVITY_KIND_{kind}"
            if table in tables:
                for global_pid, device, begin, end in db.execute(
                        f"SELECT globalPid, deviceId, start, end FROM {table}"):
                    pid = global_pid // 0x1000000 % 0x1000000
                    spans[pid, device].append((begin, end))
    return spans


class Export:
    """An export with what a test gives it, in a folder of its own."""

    def __init__(self, statements: str = "") -> None:
        folder = tempfile.mkdtemp()
        unittest.addModuleCleanup(shutil.rmtree, folder)
        self.path = os.path.join(folder, "run.sqlite")
        self.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);" +
                     statements)

    def execute(self, statements: str) -> None:
        with sqlite3.connect(self.path) as db:
            db.executescript(statements)
        db.close()


PID = 4711
GLOBAL = PID << 24
OLD_KERNELS = f"""
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'my_gemm'), (2, 'cudaLaunchKernel_v7000'),
  (3, 'loader');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT,
  streamId INT, correlationId INT, globalPid INT, shortName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (1000, 3000, 0, 7, 1, {GLOBAL}, 1), (5000, 9000, 0, 7, 2, {GLOBAL}, 1);
"""


@unittest.skipUnless(glob.glob(os.path.join(TRACES, "nsys_*.sqlite")),
                     "no folder of real traces; set DLTAP_SHARED")
class RealExportsTest(unittest.TestCase):
    def test_sums_and_unions_are_those_of_the_tables(self):
        for path in glob.glob(os.path.join(TRACES, "nsys_*.sqlite")):
            with self.subTest(path):
                expected, found = oracle(path), dump(path)
                self.assertEqual(expected.keys(), found.keys())
                for key, spans in expected.items():
                    self.assertEqual(len(spans), len(found[key]))
                    self.assertEqual(sum(e - b for b, e in spans),
                                     sum(e - b for b, e in found[key]))
                    self.assertEqual(union(spans), union(found[key]))

    def test_each_reports_by_the_schema(self):
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        for path in glob.glob(os.path.join(TRACES, "nsys_*.sqlite")):
            with self.subTest(path):
                done = run("report", "--json", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                report_schema.check(json.loads(done.stdout), schema)

    def test_the_gpu_and_the_command_are_named(self):
        path = os.path.join(TRACES, "nsys_mock.sqlite")
        if not os.path.exists(path):
            self.skipTest("no such trace")
        text = run("info", path).stdout
        self.assertIn("NVIDIA GeForce RTX 3080, 68 SMs, sm_86", text)
        self.assertIn("x = torch.zeros(16", text)


class MadeExportsTest(unittest.TestCase):
    def test_few_tables_and_old_columns_are_enough(self):
        spans = dump(Export(OLD_KERNELS).path)
        self.assertEqual(sum(e - b for b, e in spans[PID, 0]), 6000)

    def test_rows_without_times_are_counted(self):
        export = Export(OLD_KERNELS + f"""
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
              (NULL, 5, 0, 7, 3, {GLOBAL}, 1), ('x', 5, 0, 7, 4, {GLOBAL}, 1),
              (9, 5, 0, 7, 5, {GLOBAL}, 1);""")
        done = run("check", export.path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("import_unreadable: 3 ", done.stdout)

    def test_memory_is_what_was_taken_and_a_pool_is_all_it_holds(self):
        export = Export(OLD_KERNELS + f"""
            CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT,
              globalPid INT, deviceId INT, address INT, bytes INT,
              memKind INT, memoryOperationType INT,
              localMemoryPoolAddress INT, localMemoryPoolSize INT);
            INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
              (100, {GLOBAL}, 0, 4096, 1000, 2, 0, NULL, NULL),
              (200, {GLOBAL}, 0, 8192, 50, 1, 0, NULL, NULL),
              (300, {GLOBAL}, 0, 16384, 100, 2, 0, 77, 4000),
              (400, {GLOBAL}, 0, 32768, 100, 2, 0, 77, 4000),
              (500, {GLOBAL}, 0, 16384, 100, 2, 1, 77, 4000),
              (600, {GLOBAL}, 0, 4096, 1000, 2, 1, NULL, NULL),
              (NULL, {GLOBAL}, 0, 4096, 1000, 2, 0, NULL, NULL);""")
        memory = json.loads(run("report", "--json", export.path).stdout)[
            "memory"]
        device, = memory["devices"]
        self.assertEqual(device["held"]["peak_bytes"], 5000)
        self.assertEqual(device["held"]["end_bytes"], 4000)
        self.assertFalse(device["is_least"])
        self.assertEqual(memory["pinned"][0]["held"]["peak_bytes"], 50)

    def test_memory_taken_before_the_capture_makes_a_least_one(self):
        export = Export(OLD_KERNELS + f"""
            CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT,
              globalPid INT, deviceId INT, address INT, bytes INT,
              memKind INT, memoryOperationType INT);
            INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
              (100, {GLOBAL}, 0, 4096, 1000, 2, 0),
              (200, {GLOBAL}, 0, 8192, 50, 2, 1);""")
        device, = json.loads(run("report", "--json", export.path).stdout)[
            "memory"]["devices"]
        self.assertEqual(device["held"]["peak_bytes"], 1000)
        self.assertTrue(device["is_least"])

    def test_a_graph_as_a_whole_counts_as_busy_and_is_said(self):
        export = Export(OLD_KERNELS + f"""
            CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT,
              deviceId INT, streamId INT, correlationId INT, globalPid INT,
              graphId INT);
            INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES
              (10000, 60000, 0, 7, 9, {GLOBAL}, 5);""")
        self.assertEqual(union(dump(export.path)[PID, 0]), 56000)
        self.assertIn("cuda-graph-trace=node", run("check", export.path).stdout)

    def test_two_processes_stay_two(self):
        other = (PID + 1) << 24
        export = Export(OLD_KERNELS + f"""
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
              (1000, 2000, 1, 7, 1, {other}, 1);""")
        self.assertEqual(set(dump(export.path)), {(PID, 0), (PID + 1, 1)})

    def test_what_is_no_export_is_refused_with_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "other.sqlite")
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE songs (title TEXT)")
            db.close()
            done = run("report", path)
        self.assertEqual(done.returncode, 3)
        self.assertIn("nsys export --type sqlite", done.stderr)

    def test_a_file_cut_short_is_an_error(self):
        export = Export(OLD_KERNELS)
        size = os.path.getsize(export.path)
        for part in (size // 2, size // 4, 600, 100):
            os.truncate(export.path, part)
            done = run("report", export.path)
            self.assertEqual(done.returncode, 3, part)
            self.assertIn("export it again", done.stderr)

    def test_a_locked_file_is_said_to_be_locked(self):
        export = Export(OLD_KERNELS)
        db = sqlite3.connect(export.path, isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
        done = run("report", export.path)
        db.close()
        self.assertEqual(done.returncode, 3)
        self.assertIn("another program writes", done.stderr)

    def test_rows_that_are_still_in_the_log_are_read(self):
        export = Export(OLD_KERNELS)
        db = sqlite3.connect(export.path)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                   f"(20000, 21000, 0, 7, 3, {GLOBAL}, 1)")
        db.commit()
        self.assertEqual(len(dump(export.path)[PID, 0]), 3)
        db.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
