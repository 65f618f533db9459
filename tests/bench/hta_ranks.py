#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hta_ranks.py DLTAP TRACE.json.gz [RANKS...]: many ranks, beside HTA.

Copies one Kineto trace for each rank, with its rank changed and, by --repeat N,
its events N times end to end, then asks both for time by class of work and for
the share of communication that is hidden: Holistic Trace Analysis by
get_temporal_breakdown and get_comm_comp_overlap, dltap by pack --parquet and
query. Seconds, processor seconds and the most memory that the processes held
together. Runs with the interpreter that build/toolchain.env calls
DLTAP_READERS_PYTHON; --limit MIB ends what holds more.
"""
import argparse
import copy
import gzip
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import time

HTA = """
import pathlib, sys
from hta.trace_analysis import TraceAnalysis
def main():
    folder = pathlib.Path(sys.argv[1])
    files = {int(p.name.split("-")[1].split(".")[0]): str(p)
             for p in folder.glob("rank-*.json.gz")}
    analysis = TraceAnalysis(trace_files=files, trace_dir=str(folder),
                             include_last_profiler_step=True)
    table = analysis.get_temporal_breakdown(visualize=False)
    overlap = analysis.get_comm_comp_overlap(visualize=False)
    print(len(table), len(overlap), "rows")
if __name__ == "__main__":
    main()
"""
IDS_APART = 100_000_000
QUESTIONS = ("classes", "communication")


def shifted(event: dict, by_us: float, ids: int) -> dict:
    event = copy.deepcopy(event)
    if "ts" in event:
        event["ts"] = float(event["ts"]) + by_us
    if event.get("ph") in ("s", "f", "t") and isinstance(event.get("id"), int):
        event["id"] += ids
    args = event.get("args")
    for key in ("correlation", "External id", "external id"):
        if isinstance(args, dict) and isinstance(args.get(key), int):
            args[key] += ids
    return event


def repeated(trace: dict, times: int) -> dict:
    spans = [e for e in trace["traceEvents"] if e.get("ph") == "X"]
    begin = min(float(e["ts"]) for e in spans)
    end = max(float(e["ts"]) + float(e.get("dur", 0)) for e in spans)
    events = list(trace["traceEvents"])
    moving = [e for e in events if e.get("ph") != "M"]
    for n in range(1, times):
        events += [shifted(e, n * (end - begin + 1000), n * IDS_APART)
                   for e in moving]
    return trace | {"traceEvents": events}


def make_ranks(trace: dict, ranks: int, folder: pathlib.Path) -> None:
    for rank in range(ranks):
        facts = dict(trace.get("distributedInfo") or {"backend": "nccl"})
        facts |= {"rank": rank, "world_size": ranks}
        with gzip.open(folder / f"rank-{rank}.json.gz", "wt", 1) as file:
            json.dump(trace | {"distributedInfo": facts}, file)


def tree(pid: int) -> list[int]:
    out = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            out += tree(int(child))
    return out


def held_mib(pid: int) -> float:
    """Shared pages count once: each process has its part of them."""
    kib = 0
    try:
        for one in tree(pid):
            lines = pathlib.Path(f"/proc/{one}/smaps_rollup").read_text()
            kib += next(int(line.split()[1]) for line in lines.splitlines()
                        if line.startswith("Pss:"))
    except (OSError, StopIteration):
        pass  # it ended
    return kib / 1024


class Watch(threading.Thread):
    def __init__(self, process: subprocess.Popen, limit_mib: float):
        super().__init__(daemon=True)
        self.process, self.limit_mib = process, limit_mib
        self.most_mib, self.stopped = 0.0, False

    def run(self) -> None:
        while self.process.poll() is None:
            held = held_mib(self.process.pid)
            self.most_mib = max(self.most_mib, held)
            if held > self.limit_mib:
                self.stopped = True
                for pid in reversed(tree(self.process.pid)):
                    os.kill(pid, 9)
                return
            time.sleep(0.1)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(what: str, command: list[str], limit_mib: float) -> None:
    begin, cpu = time.monotonic(), cpu_seconds()
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        watch = Watch(process, limit_mib)
        watch.start()
        _, errors = process.communicate()
    watch.join()
    line = (f"  {what:<22} {time.monotonic() - begin:8.1f} s, CPU "
            f"{cpu_seconds() - cpu:8.1f} s, {watch.most_mib:8.0f} MiB")
    if watch.stopped:
        line += f"; ended: it held more than {limit_mib:.0f} MiB"
    elif process.returncode != 0:
        reason = errors.strip().splitlines()[-1:] or [""]
        line += f"; failed ({process.returncode}): {reason[0][:90]}"
    print(line, flush=True)


def measure(options: argparse.Namespace, trace: dict, ranks: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        traces = folder / "traces"
        traces.mkdir()
        make_ranks(trace, ranks, traces)
        size = sum(p.stat().st_size for p in traces.iterdir()) / 2**20
        print(f"{ranks} ranks of {len(trace['traceEvents'])} events, "
              f"{size:.0f} MiB of files, load {os.getloadavg()[0]:.1f}",
              flush=True)
        script = folder / "hta_run.py"
        script.write_text(HTA)
        run("HTA", [sys.executable, str(script), str(traces)],
            options.limit)
        dataset = str(folder / "set")
        run("dltap pack", [options.dltap, "pack", "--parquet", dataset,
                           *sorted(map(str, traces.iterdir()))],
            options.limit)
        for question in QUESTIONS:
            run(f"dltap query {question}",
                [options.dltap, "query", dataset, question], options.limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dltap")
    parser.add_argument("trace")
    parser.add_argument("ranks", type=int, nargs="*")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--limit", type=float, default=8192)
    options = parser.parse_args()
    with gzip.open(options.trace, "rt", errors="replace") as file:
        trace = repeated(json.load(file), options.repeat)
    for ranks in options.ranks or [8, 64]:
        measure(options, trace, ranks)


if __name__ == "__main__":
    main()
