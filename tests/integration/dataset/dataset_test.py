# SPDX-License-Identifier: Apache-2.0
"""dltap pack --parquet and dltap query, held against export and report.

usage: dataset_test.py DLTAP TRACES GOLDEN DUCKDB-FOLDER
"""
import collections
import csv
import functools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

DLTAP = sys.argv[1]
TRACES, GOLDEN, DUCKDB = map(pathlib.Path, sys.argv[2:5])
SOURCE = pathlib.Path(__file__).parents[3]
if not (DUCKDB / "libduckdb.so").exists():
    print("skipped: no libduckdb.so; scripts/setup.sh --tests fetches it")
    sys.exit(77)
ENV = os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}
WITHOUT = {key: value for key, value in os.environ.items()
           if key != "LD_LIBRARY_PATH"}

ONE_DEVICE = [GOLDEN / "trace_v1_1",
              TRACES / "kineto_alexnet.json.gz",
              TRACES / "kineto_h100_bert_small.json.gz",
              TRACES / "kineto_torch_compile_triton.json.gz"]
RANKS = [TRACES / f"kineto_multi_rank_{rank}.json.gz" for rank in (0, 1)]
SEVERAL = [TRACES / "nsys_h100_2gpu_1s.sqlite",
           TRACES / "kineto_vllm_decode_cuda_graph.json.gz"]
CAUSES = ("wait input library launch framework preempted blocked unknown "
          "profiler dependency latency").split()
STATES = "compute comm_exposed copy_exposed idle not_observed".split()


def present(traces) -> list[pathlib.Path]:
    return [trace for trace in traces if trace.exists()]


def run(*arguments, env=None) -> subprocess.CompletedProcess:
    return subprocess.run([DLTAP, *map(str, arguments)], capture_output=True,
                          text=True, env=env or ENV, check=False)


def dltap(*arguments) -> str:
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


@functools.cache
def report(trace) -> dict:
    return json.loads(dltap("report", "--json", trace))


def place_of(path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def sums(names) -> str:
    return " + ".join(f"{name}_ns" for name in names)


def looked_at(path: pathlib.Path) -> pathlib.Path:
    """Steps whose input takes 1.9 ms, in one function but for a look that
    found no path, and in which another is at work before the kernel."""
    lines = ["format dltap",
             'process pid=7 host=one program=python',
             'device 0 name="NVIDIA H100 80GB HBM3"',
             "site 1 python", "frame function=collate place=/me/it.py line=7",
             "site 2 python", "frame function=log place=/me/it.py line=9"]
    for step in range(8):
        t = 4000 * step
        lines += [f"range t={t}..{t + 3999}us thread=0 "
                  f"name=ProfilerStep#{step} kind=step",
                  f"call t={t}..{t + 10}us thread=0 cudaMemcpyAsync",
                  f"launchapi t={t + 1}..{t + 9}us thread=0 corr={2 * step + 1}",
                  f"memcpy t={t + 12}..{t + 20}us device=0 stream=7 "
                  f"corr={2 * step + 1} kind=htod bytes=64",
                  f"call t={t + 1010}..{t + 1020}us thread=0 cudaLaunchKernel",
                  f"launchapi t={t + 1011}..{t + 1019}us thread=0 "
                  f"corr={2 * step + 2}",
                  f"kernel t={t + 1022}..{t + 2000}us device=0 stream=7 "
                  f"corr={2 * step + 2} name=cudnn::conv_kernel"]
        lines += [f"frames t={t + at}us thread=0 site={site}" for at, site in
                  ((200, 2), (500, 2), (800, 2), (2300, 1), (3500, 1))]
        lines.append(f"frames t={t + 2900}us thread=0"
                     + (" site=1" if step % 2 else ""))
    path.write_text("\n".join(lines) + "\n")
    return path


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def pack(self, *traces, options=(), name="set") -> pathlib.Path:
        dltap("pack", "--parquet", self.folder / name, *options, *traces)
        return self.folder / name

    def ask(self, dataset, sql, *options) -> list[dict]:
        return json.loads(
            dltap("query", "--format", "json", dataset, sql, *options))

    def exported(self, trace, table) -> list[dict]:
        folder = self.folder / "csv"
        dltap("export", "--format", "csv", "-o", folder, trace)
        with (folder / f"{table}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        shutil.rmtree(folder)
        return rows


class PackTest(Case):
    def test_events_are_those_of_the_export(self):
        for trace in present(ONE_DEVICE + SEVERAL):
            for table in ("kernels", "calls"):
                with self.subTest(trace=trace.name, table=table):
                    dataset = self.pack(trace, name=trace.name + table)
                    rows = self.ask(dataset, f"SELECT * FROM {table}")
                    self.assertEqual(self.comparable(rows),
                                     self.comparable(
                                         self.exported(trace, table)))

    @staticmethod
    def comparable(rows) -> collections.Counter:
        """Rows, whatever their order and the zero of their clock."""
        first = min((int(row["begin_ns"]) for row in rows), default=0)

        def text(key, value):
            if value is None or value == "":
                return ""
            if key in ("begin_ns", "end_ns"):
                return int(value) - first
            if isinstance(value, bool):
                return str(value).lower()
            try:
                return float(value)
            except ValueError:
                return value

        return collections.Counter(
            tuple(sorted((key, text(key, value)) for key, value in row.items()
                         if key not in ("run", "rank"))) for row in rows)

    def test_sums_are_those_of_the_events(self):
        for trace in present(ONE_DEVICE + SEVERAL):
            with self.subTest(trace=trace.name):
                dataset = self.pack(trace, name=trace.name)
                for table in ("classes", "durations"):
                    by = "rank, process, device, class, direction"
                    events = self.ask(dataset, f"""
                        SELECT {by}, count(*) AS n,
                          sum(end_ns - begin_ns) AS ns,
                          min(end_ns - begin_ns) AS least,
                          max(end_ns - begin_ns) AS most
                        FROM kernels GROUP BY ALL ORDER BY ALL""")
                    self.assertEqual(self.ask(dataset, f"""
                        SELECT {by}, sum(kernels) AS n, sum(gpu_ns) AS ns,
                          min(min_ns) AS least, max(max_ns) AS most
                        FROM {table} GROUP BY ALL ORDER BY ALL"""), events)

    def test_places_are_those_of_the_report(self):
        trace = looked_at(self.folder / "looks.txt")
        seen = report(trace)["program"]["seen_in"]
        self.assertEqual({row["state"] for row in seen},
                         {"input", "between_calls"})
        dataset = self.pack(trace, options=["--rank", "5"])
        rows = self.ask(dataset, "places")
        self.assertEqual(
            [(row["seen_in"], row["place"], row["looks"], row["of_looks"])
             for row in rows if row["place"]],
            [(row["state"], row["name"], row["looks"], row["of_looks"])
             for row in seen])
        for row, told in zip((r for r in rows if r["place"]), seen):
            self.assertAlmostEqual(row["ms_per_step"], told["step_ns"] * 1e-6,
                                   delta=1e-3)
        unknown = [row for row in rows if not row["place"]]
        self.assertEqual([row["seen_in"] for row in unknown], ["input"])
        self.assertEqual(self.ask(dataset, "places", "--set", "rank=4"), [])

    def test_buckets_hold_their_times(self):
        for trace in present(ONE_DEVICE):
            dataset = self.pack(trace, name=trace.name)
            self.assertEqual(self.ask(dataset, """
                SELECT * FROM durations WHERE min_ns > 1
                  AND (min_ns < power(2, bucket / 4.0) * (1 - 1e-9)
                    OR max_ns >= power(2, (bucket + 1) / 4.0) * (1 + 1e-9))
                """), [])

    def test_states_make_the_step_and_causes_its_idle_time(self):
        for trace in present(ONE_DEVICE + SEVERAL):
            with self.subTest(trace=trace.name):
                dataset = self.pack(trace, name=trace.name)
                steps = self.ask(dataset, "SELECT * FROM steps")
                self.assertTrue(steps)
                for step in steps:
                    length = step["end_ns"] - step["begin_ns"]
                    self.assertEqual(
                        sum(step[f"{name}_ns"] for name in STATES), length)
                    self.assertEqual(
                        sum(step[f"{name}_ns"] for name in CAUSES),
                        step["idle_ns"])

    def test_devices_and_steps_are_those_of_the_report(self):
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=trace.name):
                dataset = self.pack(trace, name=trace.name)
                device, = self.ask(dataset, "SELECT * FROM devices")
                said = report(trace)["devices"][0]
                for name in ["wall", "compute", "comm_exposed",
                             "copy_exposed", "idle", "not_observed"]:
                    self.assertEqual(device[f"{name}_ns"], said[f"{name}_ns"])
                held = [d["held"]["peak_bytes"] or None
                        for d in report(trace)["memory"]["devices"]
                        if d["ordinal"] is not None and not d["is_least"]]
                self.assertEqual(device["peak_memory_bytes"],
                                 held[0] if held else None)
                used = self.ask(dataset, "SELECT count(*) AS n FROM steps "
                                "WHERE use = 'used'")[0]["n"]
                self.assertEqual(used, report(trace)["steps"]["count"])

    def test_ranks_are_those_of_the_folders_whatever_is_asked(self):
        dataset = self.pack(ONE_DEVICE[0], options=["--rank", "5"])
        for _ in range(8):
            for columns in ("rank", "rank, device", "rank, process, class"):
                rows = self.ask(dataset, f"SELECT {columns}, count(*) AS n "
                                "FROM kernels GROUP BY ALL ORDER BY ALL")
                self.assertEqual({row["rank"] for row in rows}, {5})

    @unittest.skipUnless(present(RANKS), "no folder of real traces")
    def test_ranks_that_are_packed_apart_meet(self):
        together = self.pack(*RANKS, name="together")
        apart = self.pack(RANKS[1], name="apart")
        self.pack(RANKS[0], name="apart")
        count = "SELECT rank, count(*) AS n FROM kernels GROUP BY 1 ORDER BY 1"
        self.assertEqual(self.ask(apart, count), self.ask(together, count))
        self.assertEqual([row["rank"] for row in self.ask(apart, count)],
                         [0, 1])
        kinds = self.ask(apart, """
            SELECT kind, count(DISTINCT rank) AS ranks FROM collectives
            GROUP BY 1""")
        self.assertEqual({row["ranks"] for row in kinds}, {2})

    def test_a_rank_that_is_packed_again_is_replaced(self):
        trace = ONE_DEVICE[0]
        dataset = self.pack(trace)
        count = "SELECT count(*) AS n FROM kernels"
        once = self.ask(dataset, count)
        again = run("pack", "--parquet", dataset, trace)
        self.assertIn("is replaced", again.stderr)
        self.assertEqual(self.ask(dataset, count), once)
        self.pack(trace, options=["--run", "other"])
        self.assertEqual(self.ask(dataset, count)[0]["n"], 2 * once[0]["n"])

    def test_the_rank_that_is_named_is_taken(self):
        dataset = self.pack(ONE_DEVICE[0], options=["--rank", "7"])
        row, = self.ask(dataset, "SELECT rank, rank_from FROM runs")
        self.assertEqual(row, {"rank": 7, "rank_from": "option"})

    def test_what_a_killed_writer_leaves_is_not_read(self):
        dataset = self.pack(ONE_DEVICE[0])
        left = dataset / ".pack-host-1" / "0" / "kernels"
        left.mkdir(parents=True)
        (left / "part-0.parquet").write_bytes(b"PAR1 half of")
        self.assertTrue(self.ask(dataset, "SELECT * FROM kernels"))

    def test_a_rank_without_its_row_in_runs_is_named_and_left_out(self):
        dataset = self.pack(ONE_DEVICE[0], options=["--rank", "3"])
        self.pack(ONE_DEVICE[0], options=["--rank", "4"])
        shutil.rmtree(dataset / "run=default/table=runs/rank=3")
        done = run("query", dataset, "SELECT DISTINCT rank FROM kernels",
                   "--format", "json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("rank 3 of run default is not whole and left out",
                      done.stderr)
        self.assertEqual(json.loads(done.stdout), [{"rank": 4}])

    def test_two_who_pack_one_rank_at_once_leave_one_of_both(self):
        kernels = {}
        for name, count in (("few", 300), ("many", 700)):
            kernels[name] = self.numbered(count)
        for _ in range(6):
            packers = [subprocess.Popen(
                [DLTAP, "pack", "--parquet", self.folder / "set", "--rank", "1",
                 kernels[name]], env=ENV, stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL, text=True)
                for name in ("few", "many") * 3]
            for packer in packers:
                said = packer.communicate()[1]
                self.assertEqual(packer.returncode, 0, said)
            row, = self.ask(self.folder / "set", """
                SELECT (SELECT count(*) FROM kernels) AS kernels,
                  (SELECT sum(kernels) FROM durations) AS summed,
                  (SELECT count(*) FROM runs) AS runs""")
            self.assertIn(row["kernels"], (300, 700))
            self.assertEqual(row["summed"], row["kernels"])
            self.assertEqual(row["runs"], 1)
        self.assertEqual(list(self.folder.glob("set/.pack-*")), [])

    def test_a_writer_that_is_killed_at_any_time_leaves_a_whole_rank_or_none(
            self):
        few, many = self.numbered(300), self.numbered(70_000)
        count = "SELECT count(*) AS n, count(DISTINCT rank) AS r FROM kernels"
        dataset = self.pack(few, options=["--rank", "0"])
        table = dataset / "run=default" / "table=kernels" / "rank=1"
        seen = set()
        for number in range(20):
            packer = subprocess.Popen(
                [DLTAP, "pack", "--parquet", dataset, "--rank", "1", many],
                env=ENV, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            before = place_of(table)
            # As the first table comes to its place, and a while later.
            while packer.poll() is None and place_of(table) in (None, before):
                pass
            time.sleep(number * 1e-4)
            packer.kill()
            packer.wait()
            row, = self.ask(dataset, count)
            seen.add(row["n"])
            self.assertIn((row["n"], row["r"]), {(300, 1), (70_300, 2)})
        self.assertIn(300, seen)

    def stopped_packer(self, trace, rank: int, known: set):
        """A packer in the middle of its work, and its folder."""
        packer = subprocess.Popen(
            [DLTAP, "pack", "--parquet", self.folder / "set", "--rank",
             str(rank), trace], env=ENV, stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        self.addCleanup(packer.wait)
        self.addCleanup(packer.kill)
        while packer.poll() is None:
            new = set(self.folder.glob("set/.pack-*/.lock")) - known
            if new and any(new.copy().pop().parent.glob("*/*")):
                packer.send_signal(signal.SIGSTOP)
                return packer, new.pop().parent
        self.fail(f"packed before it was stopped: {packer.returncode}")

    def test_the_next_packer_removes_what_a_killed_one_left_and_no_other(self):
        few, many = self.numbered(300), self.numbered(70_000)
        dataset = self.pack(few, options=["--rank", "0"])
        living, kept = self.stopped_packer(many, 1, set())
        killed, left = self.stopped_packer(many, 2, {kept / ".lock"})
        self.pack(few, options=["--rank", "3"])
        self.assertTrue(kept.exists())
        self.assertTrue(left.exists())
        killed.kill()
        killed.wait()
        self.assertTrue(left.exists())
        packers = [subprocess.Popen(
            [DLTAP, "pack", "--parquet", dataset, "--rank", str(rank), few],
            env=ENV, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True) for rank in (4, 5, 6)]
        for packer in packers:
            said = packer.communicate()[1]
            self.assertEqual(packer.returncode, 0, said)
        self.assertFalse(left.exists())
        self.assertTrue(kept.exists())
        living.send_signal(signal.SIGCONT)
        self.assertEqual(living.wait(), 0)
        self.assertEqual(list(dataset.glob(".pack-*")), [])
        self.assertEqual(self.ask(dataset, """
            SELECT rank, count(*) AS n FROM kernels GROUP BY rank
            ORDER BY rank"""), [
            {"rank": rank, "n": 70_000 if rank == 1 else 300}
            for rank in (0, 1, 3, 4, 5, 6)])

    def test_what_is_of_another_machine_goes_when_it_has_rested_for_a_day(
            self):
        dataset = self.pack(self.numbered(300))
        folders = {}
        for name, hours, owner in (("new", 0, "other\n"), ("old", 25, "other\n"),
                                   ("nobody", 25, ""), ("bare", 25, None)):
            folder = folders[name] = dataset / f".pack-far-1-{name}"
            folder.mkdir()
            (folder / "part-0.parquet").write_bytes(b"PAR1 half of")
            if owner is not None:
                (folder / ".lock").write_text(owner)
            at = time.time() - hours * 3600
            for path in (*folder.iterdir(), folder):
                os.utime(path, (at, at))
        self.pack(self.numbered(300))
        self.assertEqual({name for name, folder in folders.items()
                          if folder.exists()}, {"new", "bare"})

    def test_names_of_any_bytes_are_kept(self):
        name = "void k<'; DROP TABLE x; --\"\u00e9\u2603\\>(int)"
        trace = self.folder / "hostile.json"
        trace.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
             "ts": 10 + 20 * i, "dur": 5,
             "args": {"stream": 7, "device": 0, "correlation": i}}
            for i in range(4)]}))
        dataset = self.pack(trace)
        names = {row["name"] for row in
                 self.ask(dataset, "SELECT name FROM kernels")}
        self.assertEqual(names, {name})

    # Around what DuckDB takes at a time, keeps in a row group, and numbers
    # texts with: one byte, two, four.
    def test_each_row_is_kept_however_many_there_are(self):
        for count in (0, 1, 255, 256, 2047, 2048, 2049, 65_535, 65_536,
                      122_881):
            with self.subTest(count=count):
                dataset = self.pack(self.numbered(count), name=f"{count}")
                row = self.ask(dataset, """
                    SELECT count(*) AS n,
                      count(*) FILTER (kind = 'kernel' AND bytes IS NULL
                        AND name = 'k''"' || (correlation % 70000) || chr(10)
                        AND grid_x = correlation % 1000 + 1
                        OR kind = 'memcpy' AND bytes = correlation
                        AND grid_x IS NULL) AS told,
                      count(*) FILTER (end_ns - begin_ns
                        = 1000 * (correlation % 7 + 1)) AS lasted,
                      count(DISTINCT begin_ns) AS begins,
                      count(call) AS calls, count(op) AS ops,
                      count(graph_node) AS nodes FROM kernels""")[0]
                self.assertEqual(row, {
                    "n": count, "told": count, "lasted": count,
                    "begins": count, "calls": 0, "ops": 0, "nodes": 0})

    def numbered(self, count: int) -> pathlib.Path:
        """Kernels, each fifth a copy, that say their own number."""
        def event(i):
            copies = i % 5 == 4
            args = {"stream": 7, "device": 0, "correlation": i + 1}
            args |= ({"bytes": i + 1} if copies else
                     {"grid": [(i + 1) % 1000 + 1, 1, 1],
                      "block": [32, 1, 1]})
            name = ("Memcpy HtoD (Pinned -> Device)" if copies
                    else f"k'\"{(i + 1) % 70000}\n")
            return {"ph": "X", "cat": "gpu_memcpy" if copies else "kernel",
                    "name": name, "pid": 0, "tid": 7, "ts": 10 + 20 * i,
                    "dur": (i + 1) % 7 + 1, "args": args}
        begin = {"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1,
                 "ts": 1, "dur": 2}
        trace = self.folder / f"numbered-{count}.json"
        trace.write_text(json.dumps({"traceEvents": [
            begin, *(event(i) for i in range(count))]}))
        return trace

    def test_bytes_that_no_text_has_are_replaced(self):
        trace = self.folder / "bytes.json"
        events = ",".join(
            '{"ph":"X","cat":"kernel","name":"k\\u0000%s","pid":0,"tid":7,'
            '"ts":%d,"dur":5,"args":{"stream":7,"device":0,"correlation":%d}}'
            % (tail, 20 * i, i + 1)
            for i, tail in enumerate(("", "a", "\\ud800", "a")))
        trace.write_text('{"traceEvents":[' + events + "]}")
        dataset = self.pack(trace)
        names = [row["name"] for row in self.ask(
            dataset, "SELECT name FROM kernels ORDER BY correlation")]
        exported = [row["name"] for row in self.exported(trace, "kernels")]
        self.assertEqual(names, exported)
        self.assertEqual(names[:2], ["k\ufffd", "k\ufffda"])

    def test_what_does_not_fit_on_the_disk_is_said(self):
        trace = self.numbered(65_536)
        dataset = self.pack(self.numbered(1))
        before = sorted(map(str, dataset.rglob("*")))
        done = subprocess.run(
            [DLTAP, "pack", "--parquet", str(dataset), str(trace)],
            capture_output=True, text=True, env=ENV, check=False,
            preexec_fn=lambda: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("kernels", done.stderr)
        self.assertEqual(sorted(map(str, dataset.rglob("*"))), before)
        self.assertEqual(
            self.ask(dataset, "SELECT count(*) AS n FROM kernels"), [{"n": 1}])

    def test_an_event_takes_few_bytes(self):
        trace = TRACES / "kineto_h100_qwen_0.5b.json.gz"
        if not trace.exists():
            self.skipTest("no folder of real traces; set DLTAP_SHARED")
        dataset = self.pack(trace)
        size = sum(path.stat().st_size for path in dataset.rglob("*.parquet"))
        events = self.ask(dataset, """
            SELECT (SELECT count(*) FROM kernels)
              + (SELECT count(*) FROM calls) AS n""")[0]["n"]
        self.assertLess(size / events, 24)

    def test_a_run_is_packed_when_it_ends(self):
        dataset = self.folder / "set"
        done = run("run", "--pack", dataset, "--no-report", "-o",
                   self.folder / "a run", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(dataset.exists())  # it did nothing on a GPU
        job = run("run", "--pack", dataset, "--", "true",
                  env=ENV | {"WORLD_SIZE": "2"})
        self.assertEqual(job.returncode, 125)
        self.assertIn("others still write", job.stderr)


class QueryTest(Case):
    def test_each_question_answers(self):
        dataset = self.pack(*(present(RANKS) or ONE_DEVICE[:1]))
        names = re.findall(r"^([a-z]\S*)$", dltap("query", "--list"), re.M)
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(question=name):
                self.assertIsInstance(self.ask(dataset, name), list)

    def test_formats_say_the_same(self):
        dataset = self.pack(ONE_DEVICE[0])
        sql = "SELECT class, sum(gpu_ns) AS ns FROM classes GROUP BY 1 ORDER BY 1"
        rows = self.ask(dataset, sql)
        said = list(csv.DictReader(dltap(
            "query", "--format", "csv", dataset, sql).splitlines()))
        self.assertEqual([{"class": row["class"], "ns": int(row["ns"])}
                          for row in said], rows)
        table = dltap("query", dataset, sql).split()
        for row in rows:
            self.assertIn(row["class"], table)
            self.assertIn(f"{row['ns']:,}", table)
        path = self.folder / "answer.parquet"
        dltap("query", "--parquet", path, dataset, sql)
        self.assertEqual(
            self.ask(dataset, f"SELECT * FROM '{path}' ORDER BY 1"), rows)

    def test_numbers_and_types_are_shown_or_refused(self):
        dataset = self.pack(ONE_DEVICE[0])
        large = 170141183460469231731687303715884105727
        row, = self.ask(dataset, f"""
            SELECT {large}::HUGEINT AS huge, 18446744073709551615::UBIGINT AS u,
              -5::HUGEINT AS h, sum(5) AS s, 'nan'::DOUBLE AS nan,
              1.5::DECIMAL(9, 2) AS d, DATE '2026-01-02' AS day,
              NULL::HUGEINT AS none""")
        self.assertEqual(row, {
            "huge": str(large), "u": "18446744073709551615", "h": -5, "s": 5,
            "nan": None, "d": 1.5, "day": "2026-01-02", "none": None})
        for value in ("[1, 2]", "{'a': 1}", "'x'::BLOB", "uuid()",
                      "'a'::ENUM('a')"):
            with self.subTest(value=value):
                done = run("query", dataset, f"SELECT {value} AS v")
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("CAST", done.stderr)

    def test_a_statement_may_end_as_statements_do(self):
        dataset = self.pack(ONE_DEVICE[0])
        path = self.folder / "o.parquet"
        for end in ("", ";", "; -- end", " -- end", "\n"):
            sql = "SELECT count(*) AS n FROM kernels" + end
            self.assertEqual(self.ask(dataset, sql)[0]["n"], 3)
            dltap("query", "--parquet", path, dataset, sql)
            self.assertEqual(self.ask(dataset, f"FROM '{path}'")[0]["n"], 3)

    def test_what_does_not_fit_into_memory_is_said(self):
        dataset = self.pack(ONE_DEVICE[0])
        sql = ("SELECT count(*) AS n FROM (SELECT DISTINCT md5(i::VARCHAR) "
               "FROM range(2000000) t(i))")
        before = set(os.listdir())
        done = run("query", "--format", "csv", "--memory", "60MB", "--threads",
                   "1", dataset, sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2000000", done.stdout)
        self.assertIn("did not fit into memory", done.stderr)
        self.assertEqual(set(os.listdir()), before)
        self.assertEqual(run("query", dataset, sql).stderr, "")
        wrong = run("query", "--memory", "lots", dataset, sql)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--memory lots", wrong.stderr)

    def test_a_text_that_is_set_is_a_text(self):
        dataset = self.pack(ONE_DEVICE[0])
        for text in ("it's", "a' OR '1'='1", "\\", "{{top}}", "--"):
            with self.subTest(text=text):
                self.assertEqual(
                    self.ask(dataset, "steps", "--set", f"run={text}"), [])

    def test_wrong_words_are_named(self):
        dataset = self.pack(ONE_DEVICE[0])
        for arguments, words in (
                ((dataset, "stepz"), "did you mean steps"),
                ((dataset, "steps", "--set", "nothing=1"), "has no parameter"),
                ((dataset, "steps", "--set", "top=many"), "integer is wanted"),
                ((dataset, "SELECT nothing FROM kernels"), "nothing"),
                ((dataset,), "--list"),
                (("--format", "xml", dataset, "steps"), "xml")):
            with self.subTest(arguments=arguments):
                done = run("query", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)

    def test_what_is_no_data_set_is_refused(self):
        for path, words in ((self.folder / "none", "no such folder"),
                            (self.folder, "no data set")):
            done = run("query", path, "steps")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(words, done.stderr)

    def test_without_duckdb_it_says_what_to_install(self):
        alone = self.folder / "bin" / "dltap"  # it looks beside itself, too
        alone.parent.mkdir()
        shutil.copy(DLTAP, alone)
        for arguments in (("pack", "--parquet", self.folder / "x",
                           ONE_DEVICE[0]), ("query", self.folder, "steps")):
            done = subprocess.run([alone, *arguments], capture_output=True,
                                  text=True, env=WITHOUT, check=False)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("libduckdb.so", done.stderr)

    def test_a_newer_data_set_is_refused(self):
        dataset = self.pack(ONE_DEVICE[0])
        part, = dataset.glob("run=default/table=runs/rank=*/part-0.parquet")
        data = part.read_bytes()
        changed = data.replace(b"dltap.schema_version\x18\x011",
                               b"dltap.schema_version\x18\x019")
        self.assertNotEqual(changed, data)
        part.write_bytes(changed)
        done = run("query", dataset, "steps")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("newer", done.stderr)

    def test_documented_columns_are_there(self):
        dataset = self.pack(*(present(RANKS) or ONE_DEVICE[:1]))
        text = (SOURCE / "docs/dataset.md").read_text()
        rows = re.findall(r"^- `(\w+)`, [^:]*: ((?:.+\n)(?:  .+\n)*)", text,
                          re.M)
        self.assertEqual(len(rows), 10)
        for table, columns in rows:
            found = {row["column_name"] for row in
                     self.ask(dataset, f"DESCRIBE SELECT * FROM {table}")}
            columns = re.sub(r"\([^)]*\)", "", columns)
            said = set(" ".join(re.findall("`([^`]*)`", columns)).split())
            if "causes" in columns:
                said |= {f"{cause}_ns" for cause in CAUSES}
            with self.subTest(table=table):
                self.assertEqual(found, said | {"run", "rank", "process"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
