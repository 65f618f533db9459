# SPDX-License-Identifier: Apache-2.0
"""Holistic Trace Analysis and dltap itself find in exports what was there.

usage: see readers.py
"""
import gzip
import json
import re

from readers import (GOLDEN, ONE_DEVICE, OTHERS, TRACES, Case, main, name_of,
                     present, recorded, report, sum_by_class)


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

    # It takes waits of a stream for work, and leaves out what follows the
    # last step.
    def test_times_are_those_of_the_report(self):
        for trace in present(ONE_DEVICE) + recorded():
            with self.subTest(trace=name_of(trace)):
                path = self.export(trace, "chrome", name_of(trace) + ".json")
                whole = json.loads(path.read_text())
                whole["traceEvents"] = [
                    event for event in whole["traceEvents"]
                    if event.get("cat") != "cuda_sync"
                    and not event["name"].startswith("ProfilerStep")]
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

    def test_communication_hides_as_the_report_says(self):
        for trace in present(ONE_DEVICE[3:4]):
            _, analysis = self.breakdown(
                self.export(trace, "chrome", name_of(trace) + ".json"))
            table = analysis.get_comm_comp_overlap(visualize=False)
            device = report(trace, "--window", "all")["devices"][0]
            hidden, exposed = (device[f"comm_{how}_ns"]
                               for how in ("hidden", "exposed"))
            self.assertAlmostEqual(table["comp_comm_overlap_pctg"][0],
                                   100 * hidden / (hidden + exposed), 2)

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
        for trace in present(ONE_DEVICE) + recorded():
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


if __name__ == "__main__":
    main()
