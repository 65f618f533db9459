#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a report accounts for all GPU time, by sums made here from the dump.

usage: coverage_test.py DLTAP SCHEMA TRACES [TRACE...]

TRACES is a folder of real traces and may be missing; each TRACE is one more.
"""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report_schema  # noqa: E402

DLTAP, SCHEMA, FOLDER = sys.argv[1:4]
TRACES = sorted(glob.glob(os.path.join(FOLDER, "kineto_*.json.gz")))
TRACES += sys.argv[4:]

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "": 1}
SPAN = re.compile(r"\bt=(-?[\d.]+?)(ns|us|ms|s)?\.\.(-?[\d.]+?)(ns|us|ms|s)? ")


def run(*args: str, code: int = 0) -> str:
    done = subprocess.run([DLTAP, *args], capture_output=True, text=True,
                          check=False)
    assert done.returncode == code, (args, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


def report(*args: str) -> dict:
    return json.loads(run("report", "--json", *args))


def word(line: str, key: str) -> str:
    found = re.search(rf"\b{key}=(\"[^\"]*\"|\S+)", line)
    return found[1].strip('"') if found else ""


def span_of(line: str) -> tuple[float, float]:
    begin, begin_unit, end, end_unit = SPAN.search(line + " ").groups()
    return (float(begin) * UNITS[begin_unit or end_unit or ""],
            float(end) * UNITS[end_unit or ""])


def activities(path: str) -> dict:
    """(process, ordinal) -> spans, and what identifies the device."""
    spans, uuids, host, pid = {}, {}, "", "0"
    for line in run("dump", path).splitlines():
        kind = line.split(" ", 1)[0]
        if kind == "process":
            host, pid = word(line, "host"), word(line, "pid") or "0"
        elif kind == "device":
            uuids[f"{host}:{pid}", line.split()[1]] = word(line, "uuid")
        elif kind in ("kernel", "memcpy", "memset"):
            key = f"{host}:{pid}", word(line, "device") or "0"
            spans.setdefault(key, []).append(span_of(line))
    return {key: (uuids.get(key, ""), rows) for key, rows in spans.items()}


def inside(spans, windows) -> float:
    """Sum over spans of what lies in the disjoint windows; quadratic."""
    return sum(max(0, min(end, last) - max(begin, first))
               for begin, end in spans for first, last in windows
               if begin < last and first < end)


def union(spans) -> float:
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def clipped(spans, windows):
    return [(max(b, f), min(e, l)) for b, e in spans for f, l in windows
            if b < l and f < e]


def worker(pid: int, begin: int, steps: int, uuid: str = "aa",
           ordinal: int = 0) -> str:
    lines = [f"process pid={pid} host=node program=worker",
             f"device {ordinal} name=\"NVIDIA H100 80GB HBM3\" uuid={uuid}",
             f"kernel t={begin - 50}..{begin - 40}us device={ordinal} "
             "stream=7 name=gelu"]
    for i in range(steps):
        at = begin + 100 * i
        lines += [
            f"range t={at}..{at + 100}us thread=0 kind=step "
            f"name=\"ProfilerStep#{i}\"",
            f"call t={at}..{at + 1}us thread=0 cudaLaunchKernel",
            f"launchapi t={at}..{at + 1}us thread=0 corr={i + 1}",
            f"kernel t={at}..{at + 40}us device={ordinal} stream=7 "
            f"corr={i + 1} name=sgemm"]
    return "\n".join(lines) + "\n"


TEXTS = {
    "one": worker(1, 100, 12),
    "shared": worker(1, 100, 12) + worker(2, 130, 9) + worker(3, 977, 4),
    "two devices": worker(1, 100, 12) + worker(2, 130, 9, "bb", 1),
    "renumbered": worker(1, 100, 12, "aa") + worker(2, 130, 9, "bb"),
    "no uuid": worker(1, 100, 5, "\"\"") + worker(2, 130, 9, "\"\"", 1),
    "yielded": worker(1, 100, 12) +
               "not_observed t=400..700us device=0 cause=yielded\n",
}


class CoverageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.traces = list(TRACES)
        for name, text in TEXTS.items():
            path = os.path.join(cls.folder.name, name + ".txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write("format dltap\n" + text)
            cls.traces.append(path)
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, path: str, *options: str) -> dict:
        found = report(*options, path)
        report_schema.check(found, self.schema)
        known = activities(path)
        total = sum(e - b for _, rows in known.values() for b, e in rows)
        used = sum(row["gpu_ns"] for row in found["classes"])
        outside = sum(found["outside_gpu_ns"].values())
        off = 1e-3 * total + 1
        self.assertAlmostEqual(used + outside, total, delta=off)
        self.assertEqual(sum(row["gpu_ns"] for row in found["left_out"]),
                         outside)
        self.assertEqual(found["coverage"]["used_gpu_ns"], used)
        self.assertEqual(found["coverage"]["outside_gpu_ns"], outside)
        if total:
            self.assertAlmostEqual(found["coverage"]["share"],
                                   used / (used + outside))
        inside_all = 0
        for device in found["devices"]:
            rows = [span for (process, ordinal), (uuid, spans) in known.items()
                    if process in device["processes"] and
                    (uuid == device["uuid"] if device["uuid"]
                     else ordinal == str(device["id"])) for span in spans]
            windows = device["windows"]
            inside_all += inside(rows, windows)
            self.assertAlmostEqual(union(clipped(rows, windows)),
                                   device["busy_ns"], delta=off)
            self.assertEqual(device["wall_ns"],
                             sum(last - first for first, last in windows))
            for (_, end), (begin, _) in zip(windows, windows[1:]):
                self.assertLessEqual(end, begin)
        self.assertAlmostEqual(inside_all, used, delta=off)
        self.assertEqual(sum(found["phases"].values()),
                         sum(d["wall_ns"] for d in found["devices"]))
        return found

    def has_steps(self, path: str) -> bool:
        """Whether any process has more than one."""
        steps = report(path)["steps"]
        return steps["count"] > max(1, steps["processes"])

    def test_used_and_outside_are_all_gpu_time(self):
        for path in self.traces:
            with self.subTest(path):
                self.check(path)

    def test_so_they_are_for_any_choice(self):
        for path in self.traces:
            with self.subTest(path):
                all_of_it = self.check(path, "--window", "all")
                self.assertEqual(all_of_it["coverage"]["outside_gpu_ns"], 0)
                end = all_of_it["selection"]["end_ns"]
                self.check(path, "--window", f"{end // 3}..{end // 2}ns")
                if self.has_steps(path):
                    self.check(path, "--steps", "1..2")
                else:
                    run("report", "--steps", "1..2", path, code=2)
                self.check(path, "--warmup", "1")
                if all_of_it["devices"]:
                    device = all_of_it["devices"][0]
                    self.check(path, "--device", str(device["id"]))
                    self.check(path, "--process", device["processes"][0])

    def test_text_says_the_coverage(self):
        for path in self.traces:
            with self.subTest(path):
                found = report(path)
                share = found["coverage"]["share"]
                if share is None or not found["devices"]:
                    continue
                text = " ".join(run("report", path).split())
                self.assertIn(f"covers {share * 100:.1f} % of the GPU time",
                              text)
                for warning in found["trust"]["warnings"]:
                    at = text.find("warning: " + warning["text"])
                    self.assertGreaterEqual(at, 0)
                    self.assertLess(at, text.find(" class "))

    def test_one_gpu_of_three_processes_is_one(self):
        path = os.path.join(self.folder.name, "shared.txt")
        found = report(path)
        self.assertEqual(len(found["devices"]), 1)
        self.assertEqual(found["program"]["gpus"][0]["count"], 1)
        self.assertIn("1 x NVIDIA H100 80GB HBM3 shared by 3 processes",
                      run("report", path))
        self.assertEqual(
            [row["process"] for row in found["steps"]["used_by"]],
            ["node:1", "node:2", "node:3"])

    def test_bad_choices_are_errors_of_usage(self):
        path = os.path.join(self.folder.name, "shared.txt")
        for options in (["--window", "3..1s"], ["--window", "1..2"],
                        ["--window", "soon"], ["--steps", "5..2"],
                        ["--steps", "x"], ["--warmup", "-1"],
                        ["--warmup", "x"], ["--warmup", "99999999999999999999"],
                        ["--top", "-1"], ["--samples-per-step", "inf"],
                        ["--samples-per-step", "1e308"], ["--rank", "0"],
                        ["--device", "9"], ["--device", "ff"],
                        ["--process", "77"],
                        ["--window", "all", "--steps", "1"]):
            with self.subTest(options):
                self.assertIn("dltap: report: ",
                              run("report", *options, path, code=2))

    def test_a_choice_of_nothing_is_an_error(self):
        path = os.path.join(self.folder.name, "one.txt")
        self.assertIn("has no moment at 50s",
                      run("report", "--window", "50..60s", path, code=2))
        run("report", "--steps", "90..99", path, code=2)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_output_that_cannot_be_written_is_an_error(self):
        path = os.path.join(self.folder.name, "one.txt")
        for args in (["report", path], ["report", "--json", path],
                     ["report", "--csv", path], ["dump", path],
                     ["info", path], ["check", path], ["--help"],
                     ["report", "--help"], ["--version"],
                     ["export", "-o", "-", path]):
            with self.subTest(args), open("/dev/full", "wb") as full:
                done = subprocess.run([DLTAP, *args], stdout=full, text=True,
                                      stderr=subprocess.PIPE, check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
