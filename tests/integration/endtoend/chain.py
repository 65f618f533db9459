# SPDX-License-Identifier: Apache-2.0
"""Runs user programs bare and tapped, and reads what dltap says of them.

Environment (set by CMakeLists.txt): DLTAP_TEST_BUILD, the build folder.
"""

import collections
import dataclasses
import functools
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("DLTAP_TEST_BUILD", SOURCE / "build"))
DLTAP = BUILD / "bin" / "dltap"
SIMGPU = BUILD / "simgpu" / "cu13"
WORKLOADS = BUILD / "tests" / "workloads"
SCRIPTS = SOURCE / "tests" / "workloads" / "python"
GPU = "h100-sxm"
TIMEOUT_S = 120
CALL = re.compile(r"^call \S+ thread=\d+ (\w+)", re.M)
COUNT = re.compile(r"^count (\w+) (\d+)", re.M)

needs_torch = unittest.skipUnless(importlib.util.find_spec("torch"),
                                  "this interpreter has no torch")


@functools.cache
def simulated_libraries() -> list[str]:
    """In an order in which each finds what it needs among its forerunners."""
    first = ["cuda", "cudart", "cublasLt", "cublas", "cudnn", "nccl", "cupti"]

    def place(path):
        stem = path.name.split(".so")[0].removeprefix("lib")
        return (first.index(stem) if stem in first else len(first), path.name)

    return [str(path) for path in sorted(SIMGPU.glob("lib*.so*"), key=place)
            if not path.name.startswith("libdltap")]


def simulated_environment(**variables: str) -> dict[str, str]:
    """Waits advance the clock instead of taking time."""
    return os.environ | {"DLTAP_SIM_CLOCK": "skip"} | variables


def run(command, environment, check=True) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], env=environment,
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    if check and done.returncode != 0:
        raise AssertionError(f"{command} gave {done.returncode}:\n"
                             f"{done.stderr[-3000:]}")
    return done


def run_bare(command, check=True, **variables) -> subprocess.CompletedProcess:
    """On the simulated GPU, without the tap."""
    environment = simulated_environment(
        DLTAP_SIM_GPU=GPU, LD_PRELOAD=":".join(simulated_libraries()),
        **variables)
    return run(command, environment, check)


def run_tapped(command, trace, options=(), check=True, **variables):
    return run([DLTAP, "run", "--gpu", f"sim:{GPU}", "-o", trace, *options,
                "--", *command], simulated_environment(**variables), check)


def dltap(*arguments, check=True) -> subprocess.CompletedProcess:
    return run([DLTAP, *arguments], os.environ, check)


def report(trace, *options) -> dict:
    return json.loads(dltap("report", "--json", *options, trace).stdout)


def exported_activities(trace) -> list[dict]:
    """Work of a trace with one process, in time; what dltap says of it in
    `args` without its prefix."""
    exported = json.loads(dltap("export", "-o", "-", trace).stdout)
    events = [event for event in exported["traceEvents"]
              if "dltap.class" in event.get("args", {})]
    for event in events:
        event["args"] = {key.removeprefix("dltap."): value
                         for key, value in event["args"].items()}
    return sorted(events, key=lambda event: event["ts"])


def expectation(command) -> dict:
    """What a C++ workload says it calls."""
    return json.loads(run([*command, "--expect"], os.environ |
                          {"LD_LIBRARY_PATH": str(SIMGPU)}).stdout)


def seen_by_tap(trace) -> collections.Counter:
    """Calls recorded or counted, by function."""
    dump = dltap("dump", trace).stdout
    seen = collections.Counter(CALL.findall(dump))
    for symbol, number in COUNT.findall(dump):
        seen[symbol] += int(number)
    return seen


def class_rows(document) -> dict[str, dict]:
    return {row["class"]: row for row in document["classes"]}


def kernel_count(document, stem) -> int:
    """Launches of the kernels whose name has that word."""
    word = re.compile(rf"\b{stem}\b")
    return sum(row["count"] for row in document["kernels"]
               if word.search(row["name"]))


@dataclasses.dataclass(frozen=True)
class Program:
    """A user program with its arguments, and what it trains."""
    command: tuple
    steps: int
    library_classes: tuple = ()  # must appear, joined to library calls

    def __str__(self):
        return " ".join(pathlib.Path(word).name for word in self.command)


def cpp(name, *options, steps=20, classes=()) -> Program:
    return Program((str(WORKLOADS / name), "--steps", str(steps), *options),
                   steps, classes)


def script(name, *options, steps=12, classes=()) -> Program:
    return Program((sys.executable, str(SCRIPTS / name), "--steps",
                    str(steps), *options), steps, classes)
