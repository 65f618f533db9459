#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hta_compare.py DLTAP TRACE.json.gz...: dltap beside Holistic Trace Analysis.

Both read the same Kineto files. Prints busy time (the union of GPU work), the
time of kernels, seconds and peak memory of each, and fails where the totals
differ by more than 1 %. Runs with the interpreter that build/toolchain.env calls
DLTAP_READERS_PYTHON.
"""
import collections
import decimal
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

LIMIT = 0.01
SPAN = re.compile(r"(kernel|memcpy|memset) .*?t=(\d+)\.\.(\d+)ns device=(\d+)")

# HTA prints to stdout; its numbers go to the file that argv names.
HTA = """
import json, sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]},
                         include_last_profiler_step=True)
table = analysis.get_temporal_breakdown(visualize=False)
row = table.iloc[0]
frame = analysis.t.get_trace(0)
kinds = analysis.t.symbol_table.sym_index
work = [kinds[k] for k in ("kernel", "gpu_memcpy", "gpu_memset", "Kernel",
                           "Memcpy", "Memset") if k in kinds]
gpu = frame[frame["cat"].isin(work)]
busy = row["compute_time(us)"] + row["non_compute_time(us)"]
json.dump({"busy_us": float(busy), "kernel_us": float(gpu["dur"].sum())},
          open(sys.argv[2], "w"))
"""


def peak_mb(command: list[str]) -> float:
    """A process of its own, since the kernel keeps the peak of all children."""
    script = ("import resource, subprocess, sys;"
              "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
              " stderr=subprocess.DEVNULL);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", script, *command],
                          capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def by_dltap(dltap: str, path: str) -> dict:
    spans = collections.defaultdict(list)
    dump = subprocess.run([dltap, "dump", path], capture_output=True,
                          text=True, check=True)
    for line in dump.stdout.splitlines():
        match = SPAN.match(line)
        if match:
            spans[match[4]].append((int(match[2]), int(match[3])))
    return totals(spans.values())


def totals(spans_of_devices) -> dict:
    busy = work = 0
    for spans in spans_of_devices:
        end = 0
        for begin, stop in sorted(spans):
            work += stop - begin
            busy += max(0, stop - max(begin, end))
            end = max(end, stop)
    return {"busy_us": busy / 1e3, "kernel_us": work / 1e3}


def without_fractions(path: str) -> float:
    """Work as HTA reads it: begins rounded up, ends down, to microseconds."""
    with gzip.open(path, "rt", errors="replace") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    work = 0
    for event in trace["traceEvents"]:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            begin = decimal.Decimal(event["ts"])
            end = begin + decimal.Decimal(event["dur"])
            work += max(0, math.floor(end) - math.ceil(begin))
    return float(work)


def by_hta(path: str) -> tuple[dict, list[str]]:
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        command = [sys.executable, "-c", HTA, path, result.name]
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return {"error": done.stderr.strip().splitlines()[-1]}, command
        return json.load(result), command


def differs(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) > LIMIT * max(ours, 1)


def judge(path: str, ours: dict, theirs: dict) -> int:
    """Differences that nothing explains."""
    unexplained = 0
    for key in ("busy_us", "kernel_us"):
        if not differs(ours[key], theirs[key]):
            continue
        if not differs(without_fractions(path), theirs["kernel_us"]):
            print(f"  {key}: HTA drops the fractions of microseconds")
            continue
        print(f"  {key} differs by more than 1 %")
        unexplained += 1
    return unexplained


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    dltap, differ = sys.argv[1], 0
    print(f"{'trace':<40} {'':>6} {'busy us':>12} {'work us':>12} "
          f"{'seconds':>8} {'MB':>7}")
    for path in sys.argv[2:]:
        ours, (theirs, command) = by_dltap(dltap, path), by_hta(path)
        command[-1] = os.devnull
        report = [dltap, "report", "--json", path]
        name = os.path.basename(path)[:40]
        for who, found, run in (("dltap", ours, report),
                                ("HTA", theirs, command)):
            begin = time.monotonic()
            memory = peak_mb(run)
            seconds = time.monotonic() - begin
            if "error" in found:
                print(f"{name:<40} {who:>6} refuses: {found['error'][:60]}")
                continue
            print(f"{name:<40} {who:>6} {found['busy_us']:12.1f} "
                  f"{found['kernel_us']:12.1f} {seconds:8.2f} {memory:7.0f}")
        if "error" not in theirs:
            differ += judge(path, ours, theirs)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
