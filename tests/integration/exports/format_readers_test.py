# SPDX-License-Identifier: Apache-2.0
"""Perfetto, pprof and Prometheus read what dltap exports, whatever the names.

usage: see readers.py
"""
import collections
import json
import os
import re
import shutil
import subprocess
import unittest

from readers import (DLTAP, GOLDEN, ONE_DEVICE, OTHERS, Case, main, name_of,
                     needs_duckdb, present, report, sum_by_class)


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
                # As `promtool check metrics` wants them.
                labels = {label for samples in families.values()
                          for sample in samples for label in sample.labels}
                self.assertEqual([label for label in labels
                                  if not re.fullmatch("[a-z_]+", label)], [])
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


class MannersTest(Case):
    def test_without_duckdb_parquet_says_so(self):
        alone = self.folder / "bin/dltap"  # it looks beside itself, too
        alone.parent.mkdir()
        shutil.copy(DLTAP, alone)
        done = subprocess.run(
            [alone, "export", "--format", "parquet", "-o", self.folder / "p",
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

    def test_a_folder_takes_a_single_file(self):
        for form, name in (("perfetto", "trace.pftrace"),
                           ("nsys", "trace.sqlite")):
            (self.folder / "new").mkdir()
            self.export(GOLDEN / "trace_v1_1", form, "new")
            self.assertTrue((self.folder / "new" / name).is_file())
            shutil.rmtree(self.folder / "new")

    def test_stdout_takes_one_file_only(self):
        done = subprocess.run(
            [DLTAP, "export", "--format", "csv", "-o", "-",
             GOLDEN / "trace_v1_1"], capture_output=True, text=True,
            check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    main()
