# SPDX-License-Identifier: Apache-2.0
"""What dltap exports, other programs read, and find the same numbers.

usage: readers_test.py READERS-PYTHON DLTAP TRACES GOLDEN DUCKDB-FOLDER

Runs under the interpreter of third_party/frameworks/readers.lock: Holistic
Trace Analysis, pyarrow, pandas, DuckDB, Perfetto's and Prometheus's readers.
"""
import collections
import csv
import functools
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

READERS = sys.argv[1]
if READERS == "-":
    print("skipped: no readers; scripts/setup.sh --frameworks makes them")
    sys.exit(77)
if os.path.abspath(sys.executable) != os.path.abspath(READERS):
    os.execv(READERS, [READERS, *sys.argv])

DLTAP = sys.argv[2]
TRACES, GOLDEN, DUCKDB = map(pathlib.Path, sys.argv[3:6])
# HTA would round times to microseconds.
os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
WITH_DUCKDB = os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}
warnings.simplefilter("ignore")  # of HTA's use of pandas
README = pathlib.Path(__file__).parents[3] / "analyzer/exporters/README.md"

ONE_DEVICE = [GOLDEN / "trace_v1_1",
              TRACES / "kineto_alexnet.json.gz",
              TRACES / "kineto_h100_bert_small.json.gz",
              TRACES / "kineto_multi_rank_0.json.gz",
              TRACES / "kineto_torch_compile_triton.json.gz"]
OTHERS = [TRACES / "kineto_vllm_decode_cuda_graph.json.gz",
          TRACES / "nsys_h100_2gpu_1s.sqlite"]
needs_duckdb = unittest.skipUnless((DUCKDB / "libduckdb.so").exists(),
                                   "no libduckdb.so; it comes by npm")


def present(traces) -> list[pathlib.Path]:
    return [trace for trace in traces if trace.exists()]


def name_of(trace) -> str:
    """Without what would have the output compressed."""
    return trace.name.split(".")[0]


def dltap(*arguments, env=None) -> str:
    done = subprocess.run([DLTAP, *map(str, arguments)], capture_output=True,
                          text=True, env=env, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


@functools.cache
def report(trace, *options) -> dict:
    return json.loads(dltap("report", "--json", *options, trace))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, trace, form, name, *options) -> pathlib.Path:
        path = self.folder / name
        dltap("export", "--format", form, "-o", path, *options, trace,
              env=WITH_DUCKDB)
        return path

    def tables(self, trace) -> dict[str, list[dict]]:
        folder = self.export(trace, "csv", "tables")
        found = {path.stem: list(csv.DictReader(path.open(newline="")))
                 for path in folder.glob("*.csv")}
        shutil.rmtree(folder)
        return found


def sum_by_class(kernels) -> collections.Counter:
    sums = collections.Counter()
    for row in kernels:
        sums[row["class"]] += int(row["end_ns"]) - int(row["begin_ns"])
    return sums


class HtaTest(Case):
    """It knows compute, idle and the rest, of all GPU work in the file."""

    def breakdown(self, path):
        from hta.trace_analysis import TraceAnalysis
        analysis = TraceAnalysis(trace_files={0: str(path)},
                                 include_last_profiler_step=True)
        table = analysis.get_temporal_breakdown(visualize=False)
        return table.iloc[0], analysis

    def test_a_profile_and_its_export_have_the_same_times(self):
        # Not the last: its operators name streams, which HTA takes for work.
        for trace in present(ONE_DEVICE[1:4]):
            with self.subTest(trace=name_of(trace)):
                path = self.export(trace, "chrome", name_of(trace) + ".json")
                was, analysis = self.breakdown(trace)
                now, _ = self.breakdown(path)
                frame = analysis.t.get_trace(0)
                work = (frame["stream"] >= 0).sum()
                # Dates in microseconds don't fit a float: half a one is lost.
                delta = 0.5 * work if self.has_dates(trace) else 0.1
                for key in ("compute", "non_compute", "idle"):
                    key += "_time(us)"
                    self.assertAlmostEqual(was[key], now[key], None, key,
                                           delta)

    @staticmethod
    def has_dates(trace) -> bool:
        with gzip.open(trace, "rt") as file:
            found = re.search(r'"ts": *(\d+)', file.read())
        return len(found[1]) > 14

    # It takes waits of a stream for work.
    def test_times_are_those_of_the_report(self):
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                path = self.export(trace, "chrome", name_of(trace) + ".json")
                whole = json.loads(path.read_text())
                whole["traceEvents"] = [
                    event for event in whole["traceEvents"]
                    if event.get("cat") != "cuda_sync"]
                path.write_text(json.dumps(whole))
                row, analysis = self.breakdown(path)
                device = report(trace, "--window", "all")["devices"][0]
                copies = (device["comm_exposed_ns"] +
                          device["copy_exposed_ns"])
                for key, ns in (("compute", device["compute_ns"]),
                                ("non_compute", copies),
                                ("idle", device["idle_ns"])):
                    self.assertAlmostEqual(row[f"{key}_time(us)"], ns / 1e3, 1,
                                           f"{key} {ns}")
                frame = analysis.t.get_trace(0)
                work = frame[frame["stream"] >= 0]["dur"].sum()
                kernels = self.tables(trace)["kernels"]
                self.assertAlmostEqual(
                    work, sum(sum_by_class(kernels).values()) / 1e3, 1)

    def test_ranks_are_found(self):
        traces = present(TRACES / f"kineto_multi_rank_{i}.json.gz"
                         for i in (0, 1))
        if not traces:
            self.skipTest("no folder of real traces; set DLTAP_SHARED")
        from hta.common.trace_file import create_rank_to_trace_dict
        paths = [str(self.export(trace, "chrome", f"{i}.json"))
                 for i, trace in enumerate(traces)]
        ok, found = create_rank_to_trace_dict(paths)
        self.assertTrue(ok)
        ranks = [report(trace)["devices"][0]["rank"] for trace in traces]
        self.assertEqual(found, dict(zip(ranks, paths)))


class RoundTripTest(Case):
    """Kineto and nsys exports, read by dltap itself."""

    def test_chrome_keeps_classes_kernels_times_and_steps(self):
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                back = self.export(trace, "chrome", name_of(trace) + ".json")
                was, now = report(trace), report(back)
                self.assertEqual(was["steps"]["count"] > 0,
                                 now["steps"]["count"] > 0)
                self.assertEqual(was["steps"]["ns"], now["steps"]["ns"])
                for key in ("gpu_ns", "kernels", "busy_ns", "direction_ns",
                            "class_from"):
                    self.assertEqual(
                        {row["class"]: row[key] for row in was["classes"]},
                        {row["class"]: row[key] for row in now["classes"]},
                        key)
                self.assertEqual(
                    [(row["name"], row["count"], row["gpu_ns"])
                     for row in was["kernels"] if row["gpu_ns"]],
                    [(row["name"], row["count"], row["gpu_ns"])
                     for row in now["kernels"] if row["gpu_ns"]])

    def test_nsys_keeps_work_and_calls(self):
        for trace in present(ONE_DEVICE + OTHERS):
            with self.subTest(trace=name_of(trace)):
                back = self.export(trace, "nsys", name_of(trace) + ".sqlite")
                was = self.tables(trace)["kernels"]
                now = self.tables(back)["kernels"]
                keys = ("kind", "name", "device", "stream", "correlation",
                        "graph_node", "bytes", "grid_x", "block_x",
                        "registers_per_thread")
                self.assertEqual(self.rows(was, keys), self.rows(now, keys))

    @staticmethod
    def rows(kernels, keys):
        """On a time line that begins with the work."""
        first = min(int(row["begin_ns"]) for row in kernels)
        return sorted((int(row["begin_ns"]) - first,
                       int(row["end_ns"]) - first,
                       *(row[key] for key in keys)) for row in kernels)

    def test_pandas_reads_the_nsys_tables(self):
        import sqlite3

        import pandas
        trace = GOLDEN / "trace_v1_1"
        path = self.export(trace, "nsys", "trace.sqlite")
        with sqlite3.connect(path) as database:
            frame = pandas.read_sql(
                "SELECT k.end - k.start AS ns, s.value AS name FROM "
                "CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = "
                "k.shortName", database)
        kernels = [row for row in self.tables(trace)["kernels"]
                   if row["kind"] == "kernel"]
        self.assertEqual(sorted(frame["name"]),
                         sorted(row["name"] for row in kernels))
        self.assertEqual(frame["ns"].sum(),
                         sum(sum_by_class(kernels).values()))


@needs_duckdb
class ParquetTest(Case):
    def test_pyarrow_reads_what_csv_says(self):
        import pyarrow.parquet
        for trace in present(ONE_DEVICE[:2] + OTHERS):
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                for name, rows in self.tables(trace).items():
                    table = pyarrow.parquet.read_table(
                        folder / f"{name}.parquet")
                    metadata = table.schema.metadata
                    self.assertEqual(metadata[b"dltap.schema_version"], b"1")
                    self.assertEqual(metadata[b"dltap.table"], name.encode())
                    self.assertEqual(
                        [self.as_csv(row) for row in table.to_pylist()], rows)
                    for field in table.schema:
                        if field.name.endswith("_ns"):
                            self.assertEqual(field.type, pyarrow.int64())

    @staticmethod
    def as_csv(row) -> dict:
        def text(value):
            if value is None:
                return ""
            if isinstance(value, bool):
                return str(value).lower()
            return value if isinstance(value, str) else value

        return {key: Same(text(value)) for key, value in row.items()}

    def test_texts_are_dictionary_encoded(self):
        import pyarrow.parquet
        trace = ONE_DEVICE[1]
        if not trace.exists():
            self.skipTest("no folder of real traces; set DLTAP_SHARED")
        folder = self.export(trace, "parquet", "p")
        group = pyarrow.parquet.ParquetFile(
            folder / "kernels.parquet").metadata.row_group(0)
        encodings = {group.column(i).path_in_schema: group.column(i).encodings
                     for i in range(group.num_columns)}
        self.assertTrue(any("DICTIONARY" in one for one in encodings["name"]))

    def test_classes_are_those_of_the_report(self):
        import duckdb
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                found = dict(duckdb.sql(
                    "SELECT class, gpu_ns FROM "
                    f"'{folder}/classes.parquet'").fetchall())
                self.assertEqual(found, {
                    row["class"]: row["gpu_ns"]
                    for row in report(trace)["classes"]})

    def test_gaps_sum_to_the_idle_time(self):
        import pandas
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                gaps = pandas.read_parquet(folder / "gaps.parquet")
                spans = (gaps.end_ns - gaps.begin_ns).sum()
                causes = [name for name in gaps.columns
                          if name.endswith("_ns") and name not in
                          ("begin_ns", "end_ns")]
                self.assertEqual(gaps[causes].sum().sum(), spans)
                self.assertEqual(spans, report(trace)["devices"][0]["idle_ns"])

    def test_the_readmes_lines_run(self):
        import duckdb
        self.export(ONE_DEVICE[0], "parquet", "trace")
        text = README.read_text()
        sql = re.search(r'duckdb -c "(.*)"', text)[1]
        python = re.search(r'python3 -c "(.*)"', text)[1]
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertTrue(duckdb.sql(sql).fetchall())
            exec(python, {})  # pylint: disable=exec-used
        finally:
            os.chdir(here)


class ReadmeTest(Case):
    def test_the_lines_for_csv_run(self):
        import duckdb
        self.export(ONE_DEVICE[0], "csv", "run1-tables")
        text = (README.parents[2] / "README.md").read_text()
        sql = re.search(r'duckdb -c "(.*)"', text)[1]
        python = re.search(r'python3 -c "(import pandas.*)"', text)[1]
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertTrue(duckdb.sql(sql).fetchall())
            exec(python, {})  # pylint: disable=exec-used
        finally:
            os.chdir(here)


class OddNamesTest(Case):
    """Quotes, control characters, what is no UTF-8, markup, 10 kB."""

    NAME = "a\"b'c,;\x01\n\t<img src=x>\u00e9\ufffd" + 10_000 * "k"

    def setUp(self):
        super().setUp()
        quoted = (self.NAME.encode().replace(b'"', b'\\"')
                  .replace(b"\x01", b"\\x01").replace(b"\n", b"\\x0a")
                  .replace(b"\t", b"\\x09")
                  .replace("\ufffd".encode(), b"\\xff"))
        self.trace = self.folder / "odd.txt"
        self.trace.write_bytes(
            b'format dltap\nprocess pid=1 program="p"\nthread 0 tid=1\n'
            b'device 0 name="' + quoted + b'"\nkernel t=1..3us device=0 '
            b'stream=7 name="' + quoted + b'"\nrange t=0..9us thread=0 name="' +
            quoted + b'" kind=user\n')

    def test_readers_get_the_name(self):
        import sqlite3

        import pandas
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
        chrome = json.loads(
            self.export(self.trace, "chrome", "c").read_text())
        self.assertIn(self.NAME, [event["name"]
                                  for event in chrome["traceEvents"]])
        frames = json.loads(self.export(
            self.trace, "speedscope", "s").read_text())["shared"]["frames"]
        self.assertIn({"name": self.NAME}, frames)
        folder = self.export(self.trace, "csv", "t")
        self.assertEqual(
            list(pandas.read_csv(folder / "kernels.csv").name), [self.NAME])
        with sqlite3.connect(self.export(self.trace, "nsys", "n")) as database:
            names = [row[0] for row in
                     database.execute("SELECT value FROM StringIds")]
        self.assertIn(self.NAME, names)
        trace = pb.Trace.FromString(
            self.export(self.trace, "perfetto", "p").read_bytes())
        self.assertIn(self.NAME, [
            one.name for packet in trace.packet
            for one in packet.interned_data.event_names])

    @needs_duckdb
    def test_parquet_keeps_the_name(self):
        import pyarrow.parquet
        folder = self.export(self.trace, "parquet", "q'uote")
        table = pyarrow.parquet.read_table(folder / "kernels.parquet")
        self.assertEqual(table["name"].to_pylist(), [self.NAME])


class Same:
    """A value that equals the CSV text of it."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, text):
        if isinstance(self.value, float):
            return float(text) == self.value
        return str(self.value) == text

    def __repr__(self):
        return repr(self.value)


class PerfettoTest(Case):
    def test_slices_are_the_work_calls_and_ranges(self):
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
        for trace in present(ONE_DEVICE[:2] + OTHERS):
            with self.subTest(trace=name_of(trace)):
                path = self.export(trace, "perfetto", name_of(trace))
                packets = pb.Trace.FromString(path.read_bytes()).packet
                rows = self.tables(trace)
                sums = self.sum_by_category(packets, pb)
                for name, ns in sum_by_class(rows["kernels"]).items():
                    self.assertEqual(sums[name], ns, name)
                names = {packet.track_descriptor.name for packet in packets}
                for row in rows["kernels"]:
                    self.assertIn(f"stream {row['stream']}", names)

    @staticmethod
    def sum_by_category(packets, pb) -> collections.Counter:
        categories, sums, open_ = {}, collections.Counter(), {}
        for packet in packets:
            for one in packet.interned_data.event_categories:
                categories[one.iid] = one.name
            event = packet.track_event
            stack = open_.setdefault(event.track_uuid, [])
            if event.type == pb.TrackEvent.TYPE_SLICE_BEGIN:
                stack.append((categories[event.category_iids[0]],
                              packet.timestamp))
            elif event.type == pb.TrackEvent.TYPE_SLICE_END:
                category, begin = stack.pop()
                sums[category] += packet.timestamp - begin
        return sums


class PprofTest(Case):
    @unittest.skipUnless(shutil.which("go"), "no pprof: it comes with Go")
    def test_pprof_finds_the_same_gpu_time(self):
        for trace in present(ONE_DEVICE[:2] + OTHERS):
            with self.subTest(trace=name_of(trace)):
                path = self.export(trace, "pprof", name_of(trace) + ".pb.gz")
                done = subprocess.run(
                    ["go", "tool", "pprof", "-raw", str(path)], check=True,
                    capture_output=True, text=True)
                values = re.findall(r"^\s+(\d+)\s+(\d+)\s+(\d+):", done.stdout,
                                    re.M)
                kernels = self.tables(trace)["kernels"]
                self.assertEqual(sum(int(gpu) for _, _, gpu in values),
                                 sum(sum_by_class(kernels).values()))
                self.assertEqual(sum(int(count) for count, _, _ in values),
                                 len(kernels))


class PrometheusTest(Case):
    def test_its_parser_reads_the_reports_numbers(self):
        from prometheus_client.parser import text_string_to_metric_families
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                text = self.export(trace, "prometheus", name_of(trace)).read_text()
                families = {family.name: family.samples for family in
                            text_string_to_metric_families(text)}
                wanted = report(trace)
                busy = {sample.labels["layer_class"]: sample.value
                        for sample in families["dltap_gpu_busy_seconds"]}
                self.assertEqual(busy, {
                    row["class"]: row["busy_ns"] / 1e9
                    for row in wanted["classes"]})
                count = [sample.value for sample in
                         families["dltap_step_duration_seconds"]
                         if sample.name.endswith("_count")]
                self.assertEqual(count, [len(wanted["steps"]["ns"])])


class MannersTest(Case):
    def test_without_duckdb_parquet_says_so(self):
        done = subprocess.run(
            [DLTAP, "export", "--format", "parquet", "-o", self.folder / "p",
             GOLDEN / "trace_v1_1"], capture_output=True, text=True,
            env=os.environ | {"LD_LIBRARY_PATH": ""}, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("libduckdb.so", done.stderr)

    def test_nothing_is_overwritten_unasked(self):
        path = self.export(GOLDEN / "trace_v1_1", "chrome", "t.json")
        path.write_text("mine")
        again = [DLTAP, "export", "-o", path, GOLDEN / "trace_v1_1"]
        done = subprocess.run(again, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("--force", done.stderr)
        self.assertEqual(path.read_text(), "mine")
        subprocess.run([*again, "--force"], check=True, capture_output=True)
        self.assertNotEqual(path.read_text(), "mine")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
