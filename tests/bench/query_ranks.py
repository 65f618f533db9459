#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""query_ranks.py [--kernels N] RANKS...: what questions about many ranks cost.

Simulates a job of so many ranks (in eights), N kernels each (50,000), 20 steps,
writes it as a data set and asks it by DuckDB: two threads, 2 GiB. Each question
in a process of its own: seconds of the question, with the start of the engine,
CPU seconds of both threads, peak memory. For a Python with duckdb, numpy and pyarrow.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support/dataset"))
import duck  # noqa: E402
import job  # noqa: E402
import write  # noqa: E402

BY_KERNELS = ("SELECT class, count(*), sum(end_ns - begin_ns) FROM kernels "
              "GROUP BY class ORDER BY class")


def ask(folder: str, name: str) -> dict:
    start = time.monotonic()
    connection = duck.connect(pathlib.Path(folder))
    asked, cpu = time.monotonic(), time.process_time()
    if name == "(kernels by class)":
        rows = connection.execute(BY_KERNELS).fetchall()
    else:
        rows = duck.ask(connection, name)
    end = time.monotonic()
    return {"seconds": end - asked, "whole": end - start, "rows": len(rows),
            "cpu": time.process_time() - cpu,
            "mib": peak_kib() / 1024}


def peak_kib() -> int:
    """Of this process alone: ru_maxrss begins with the parent's."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^VmHWM:\s+(\d+)", status, re.M)[1])


def make(folder: str, ranks: int, kernels: int) -> None:
    simulation = job.Simulation(job.Job(
        tensor=8, pipeline=1, data=ranks // 8, steps=20, micro_batches=2,
        faults=(job.Fault("slow_gpu", ranks // 3, 7),)))
    write.write(simulation, pathlib.Path(folder), with_kernels=True,
                kernel_rows=kernels)


def measure(ranks: int, kernels: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make(folder, ranks, kernels)
        size = sum(p.stat().st_size
                   for p in pathlib.Path(folder).rglob("table=kernels/*/*"))
        print(f"{ranks} ranks, {size / ranks / kernels:.1f} bytes a kernel, "
              f"load {os.getloadavg()[0]:.1f}", flush=True)
        for name in ["(kernels by class)", *duck.dq.question_names()]:
            out = subprocess.run(
                [sys.executable, "-B", __file__, "--ask", folder, name],
                check=True, capture_output=True, text=True).stdout
            r = json.loads(out)
            print(f"  {name:20} {r['seconds']:7.2f} s, with start "
                  f"{r['whole']:6.2f} s, CPU {r['cpu']:6.2f} s, "
                  f"{r['mib']:6.0f} MiB, "
                  f"{r['rows']} rows", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ranks", type=int, nargs="*")
    parser.add_argument("--kernels", type=int, default=50_000)
    parser.add_argument("--ask", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        print(json.dumps(ask(*options.ask)))
        return
    for ranks in options.ranks or [64, 250, 1000]:
        measure(ranks // 8 * 8, options.kernels)


if __name__ == "__main__":
    main()
