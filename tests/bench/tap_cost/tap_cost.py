#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tap_cost.py BUILD [ROUNDS]: what the tap costs its host, as one table.

Each row is a ratio, or nanoseconds beside those of LTTng-UST and uftrace where
they are installed. Variants run in turn, ROUNDS times (9), so that the
machine's load meets all of them; medians, with the quartiles.
"""

import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent


def median_and_quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:9.2f}   {low:.2f} .. {high:.2f}"


def row(name, values, unit):
    print(f"{name:48} {median_and_quartiles(values)}  {unit}", flush=True)


def environment(build, folder, level):
    """Of a program on the simulated GPU; level None: bare."""
    out = os.environ | {"DLTAP_SIM_GPU": "h100-sxm", "DLTAP_SIM_CLOCK": "skip",
                        "DLTAP_SIM_QUIET": "1", "DLTAP_STEP_DOWN": "off"}
    if level is not None:
        out |= {"LD_PRELOAD": str(build / "lib/libdltap.so"),
                "DLTAP_LEVEL": level, "DLTAP_OUTPUT": f"{folder}/%p"}
    return out


def number(command, **kwargs):
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True, check=True, timeout=120, **kwargs)
    return float((done.stdout.split() or done.stderr.split())[-1])


def wrapped_calls(build, rounds):
    """Ratios to a pair of time stamp reads, from entry_overhead."""
    seen = {}
    for _ in range(rounds):
        text = subprocess.run(
            [build / "bin/entry_overhead", build / "lib/libdltap.so"],
            capture_output=True, text=True, check=True).stdout
        for mode, name, ratio in re.findall(
                r"^(on|off) +(\S.*?) +hot +\S+ ns +(\S+)$", text, re.M):
            seen.setdefault((mode, name), []).append(float(ratio))
    for (mode, name), ratios in seen.items():
        row(f"call, tap {mode}: {name}", ratios, "pairs of rdtsc")


def launches(build, rounds):
    program = build / "bin/launch_loop"
    ratios = {"host": [], "kernels": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            bare = number([program, 200_000],
                          env=environment(build, folder, None))
            for level, values in ratios.items():
                values.append(number(
                    [program, 200_000],
                    env=environment(build, folder, level)) / bare)
    for level, values in ratios.items():
        row(f"launch on the simulation, level {level}", values,
            "times the bare launch, CPU time of the thread")


def unrelated_process(build, folder, rounds):
    empty = folder / "empty.so"
    subprocess.run(["gcc", "-shared", "-xc", "/dev/null", "-o", empty],
                   check=True)
    runs = []
    for _ in range(rounds):
        text = subprocess.run(
            [build / "bin/spawn_pairs", "500", build / "lib/libdltap.so",
             empty], capture_output=True, text=True, check=True).stdout
        runs.append([float(line.split()[0]) for line in text.splitlines()])
    row("/bin/true under preload", [run[0] for run in runs], "us more")
    row("/bin/true under an empty library", [run[1] for run in runs],
        "us more")


def lttng(folder, rounds):
    if shutil.which("lttng") is None:
        return print("LTTng-UST is not installed")
    program = folder / "lttng_loop"
    built = subprocess.run(
        ["gcc", "-O2", f"-I{HERE}", "-o", program, HERE / "lttng_loop.c",
         "-llttng-ust", "-ldl"], capture_output=True, text=True)
    if built.returncode != 0:
        return print("lttng_loop does not compile:", built.stderr[-300:])
    environment = os.environ | {"LTTNG_HOME": str(folder)}

    def control(*words):
        subprocess.run(["lttng", "--no-sessiond", *words], check=True,
                       env=environment, stdout=subprocess.DEVNULL, timeout=20)

    # It says by this signal that it is ready.
    ready = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: ready.set())
    daemon = subprocess.Popen(
        ["lttng-sessiond", "--no-kernel", "--sig-parent"], env=environment,
        stderr=subprocess.DEVNULL)
    try:
        ready.wait(20)
        control("create", "bench", f"--output={folder}/trace")
        control("enable-event", "-u", "dltap_bench:call")
        control("start")
        row("LTTng-UST, two tracepoints of 40 bytes",
            [number([program], env=environment) for _ in range(rounds)],
            "ns of CPU time")
        control("destroy", "--no-wait", "bench")
    except (subprocess.SubprocessError, OSError) as error:
        print("LTTng-UST does not run here:", error)
    finally:
        daemon.kill()
        daemon.wait()


def uftrace(folder, rounds):
    if shutil.which("uftrace") is None:
        return print("uftrace is not installed")
    program = folder / "uftrace_loop"
    subprocess.run(["gcc", "-O2", "-pg", "-o", program,
                    HERE / "uftrace_loop.c"], check=True)
    row("uftrace, one call of a function", [
        number(["uftrace", "record", "--no-libcall", "-d", folder / "data",
                program]) for _ in range(rounds)], "ns of CPU time")


def nanoseconds(build, rounds):
    """The same figure as LTTng's and uftrace's: what a call costs."""
    values = []
    for _ in range(rounds):
        text = subprocess.run(
            [build / "bin/entry_overhead", build / "lib/libdltap.so"],
            capture_output=True, text=True, check=True).stdout
        values.append(float(re.search(
            r"^on +record, 3 arguments +hot +(\S+) ns", text, re.M)[1]))
    row("dltap, one recorded call of 3 arguments", values, "ns")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    print(f"{'':48}    median   quartiles")
    wrapped_calls(build, rounds)
    launches(build, rounds)
    nanoseconds(build, rounds)
    with tempfile.TemporaryDirectory() as name:
        unrelated_process(build, pathlib.Path(name), rounds)
        lttng(pathlib.Path(name), rounds)
        uftrace(pathlib.Path(name), rounds)


if __name__ == "__main__":
    main()
