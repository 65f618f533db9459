#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pack_speed.py DLTAP TRACE...: what dltap pack --parquet costs.

An event is a kernel, copy, memset or call: a row of the tables kernels and
calls. Of each trace, in turn and RUNS times (5), the least processor time: of
the report, of the data set, and of DuckDB alone, which writes kernels, calls
and gaps from tables in its memory by one thread, as the floor. Then the most
memory that dltap held, and the bytes of the data set. The trace of
`report_speed 10 FILE` is one. For a Python with duckdb.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import duckdb

COPY = ("COPY {} TO '{}' (FORMAT parquet, PARQUET_VERSION v2, "
        "COMPRESSION zstd, COMPRESSION_LEVEL 1, DICTIONARY_SIZE_LIMIT 64, "
        "WRITE_BLOOM_FILTER false)")
ROWS = re.compile(r"(\d+) kernels and calls")


def cpu_seconds(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def run(*command) -> tuple[float, str]:
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True, check=True)
    return cpu_seconds(resource.RUSAGE_CHILDREN) - before, done.stderr


def peak_mib(*command) -> float:
    """By a process of its own: the kernel keeps the peak of all children."""
    script = ("import resource, subprocess, sys;"
              "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
              " stderr=subprocess.DEVNULL);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", script, *map(str, command)],
                          capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


class Floor:
    """The rows of a data set in DuckDB's memory, its texts as ENUMs."""

    def __init__(self, dataset: pathlib.Path):
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.tables = []
        for table in ("kernels", "calls", "gaps"):
            files = sorted(map(str, dataset.glob(
                f"run=*/table={table}/rank=*/*.parquet")))
            if files:
                self._load(table, f"read_parquet({files}, "
                                  "hive_partitioning=false)")
                self.tables.append(table)

    def _load(self, table: str, rows: str) -> None:
        ask = self.connection.execute
        columns = []
        for name, kind, *_ in ask(f"DESCRIBE FROM {rows}").fetchall():
            some = f"SELECT DISTINCT {name} FROM {rows} WHERE {name} NOTNULL"
            if kind == "VARCHAR" and ask(some).fetchone():
                ask(f"CREATE TYPE {table}_{name} AS ENUM ({some})")
                columns.append(f"{name}::{table}_{name} AS {name}")
            else:
                columns.append(name)
        ask(f"CREATE TABLE {table} AS SELECT {', '.join(columns)} FROM {rows}")

    def write(self, folder: pathlib.Path) -> float:
        before = cpu_seconds(resource.RUSAGE_SELF)
        for table in self.tables:
            self.connection.execute(COPY.format(table, folder / table))
        return cpu_seconds(resource.RUSAGE_SELF) - before


def measure(dltap: str, trace: str, runs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dataset = folder / "set"
        pack = (dltap, "pack", "--parquet", dataset, trace)
        _, said = run(*pack)
        match = ROWS.search(said)
        events = int(match[1]) if match else 0
        if events == 0:
            sys.exit(f"{trace}: {said.strip() or 'no event'}")
        size = sum(p.stat().st_size for p in dataset.rglob("*.parquet"))
        floor, least = Floor(dataset), {}
        for _ in range(runs):
            for what, seconds in (
                    ("report", run(dltap, "report", "--json", trace)[0]),
                    ("pack", run(*pack)[0]),
                    ("DuckDB alone", floor.write(folder))):
                least[what] = min(seconds, least.get(what, seconds))
        memory = peak_mib(*pack)
    print(f"{trace}: {events} events, {size / events:.2f} bytes each, "
          f"{memory:.0f} MiB ({memory * 2**20 / events:.0f} bytes an event)")
    for what, seconds in least.items():
        print(f"  {what:<13} {seconds / events * 1e9:6.0f} ns an event, "
              f"{events / seconds / 1e6:5.2f} M events/s, "
              f"{seconds / least['DuckDB alone']:5.2f} x the floor",
              flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dltap")
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for trace in options.traces:
        measure(options.dltap, trace, options.runs)


if __name__ == "__main__":
    main()
