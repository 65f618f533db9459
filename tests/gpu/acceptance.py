# SPDX-License-Identifier: Apache-2.0
"""The checks of acceptance.sh; needs nothing but Python's own library."""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration" /
                       "endtoend"))
import chain  # noqa: E402
import joins  # noqa: E402

STEP_LIMIT_S = 300  # of each program run
CORNERS = chain.BUILD / "tests" / "integration" / "endtoend" / "programs"
CPP = {"cnn": ("cnn",), "cnn_graph": ("cnn", "--capture"),
       "lstm": ("lstm",), "transformer": ("transformer",),
       "transformer_graph": ("transformer", "--capture"),
       "transformer_cudnn": ("transformer", "--attention", "cudnn")}
SCRIPTS = {"resnet": ("train_resnet.py", "--batch", "32"),
           "lstm_lm": ("train_lstm_lm.py",),
           "transformer_bf16": ("train_transformer.py", "--bf16"),
           "dcgan": ("train_dcgan.py",), "a3c": ("train_a3c.py",)}


class Machine:
    """Runs commands on the chosen GPU, each with a time limit."""

    def __init__(self, gpu: str):
        self.gpu = gpu
        self.simulated = gpu.startswith("sim:")

    def bare(self, command):
        environment = dict(os.environ)
        if self.simulated:
            environment |= {
                "DLTAP_SIM_GPU": self.gpu.removeprefix("sim:"),
                "LD_PRELOAD": ":".join(chain.simulated_libraries())}
        return self.run(command, environment)

    def tapped(self, command, trace, level="kernels", **variables):
        return self.run([chain.DLTAP, "run", "--gpu", self.gpu, "--level",
                          level, "--no-report", "-o", trace, "--", *command],
                         os.environ | variables)

    @staticmethod
    def run(command, environment):
        begin = time.monotonic()
        try:
            done = subprocess.run([str(word) for word in command],
                                  env=environment, capture_output=True,
                                  text=True, timeout=STEP_LIMIT_S)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, 124, "", "timed out")
        done.seconds = time.monotonic() - begin
        return done

    def describe(self):
        query = "name,uuid,driver_version,clocks.sm,clocks.max.sm"
        try:
            lines = subprocess.run(
                ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                capture_output=True, text=True, timeout=30).stdout.splitlines()
        except (OSError, subprocess.TimeoutExpired):
            lines = []
        return {"gpu": self.gpu, "nvidia_smi": lines,
                "host": platform.platform(), "cores": os.cpu_count()}


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def check_program(machine, command, steps, folder, expected) -> dict:
    """Bare and tapped once: what dltap says, and what is wrong with it."""
    command = [*command, "--steps", str(steps)]
    bare = machine.bare(command)
    if bare.returncode != 0:
        return {"state": "skipped", "why": last_line(bare.stderr)}
    tapped = machine.tapped(command, folder)
    problems = []
    if tapped.returncode != bare.returncode:
        problems.append(f"exit code {tapped.returncode}")
    varies = (tapped.stdout != bare.stdout and
              machine.bare(command).stdout != bare.stdout)
    if tapped.stdout != bare.stdout and not varies:
        problems.append("stdout differs")
    try:
        document = chain.report(folder)
        dump = chain.dltap("dump", folder).stdout
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return {"state": "failed", "problems": [*problems, str(error)[:500]]}
    trust = document["trust"]
    for key in ("launches_without_kernel", "kernels_without_launch"):
        if trust[key] != 0:
            problems.append(f"{trust[key]} {key}")
    if (trust["classified_share"] or 0) < 0.98:
        problems.append(f"classified_share {trust['classified_share']}")
    problems += wrong_counts(document, expected, steps)
    join = joins.check(dump)
    problems += [f"{join[key]} {key}" for key in joins.WRONG if join[key]]
    if join["order_agrees"] + join["external_agrees"] == 0:
        problems.append("no join could be checked")
    return {"state": "failed" if problems else "passed", "problems": problems,
            "shares": {row["class"]: row["share"]
                       for row in document["classes"]},
            "steps": document["steps"]["count"],
            "step_ns": document["steps"]["mean_ns"], "trust": trust,
            "join": join, "stdout_varies_bare": varies}


def wrong_counts(document, expected, steps):
    if expected is None:
        return []
    if document["steps"]["found_by"] != "none":
        steps = sum(last - first + 1
                    for first, last in document["steps"]["used"])
    return [f"{stem}: {seen} launches, not {calls * steps}"
            for stem, calls in expected["kernels_per_step"].items()
            if (seen := chain.kernel_count(document, stem)) != calls * steps]


def step_seconds(run, command, steps) -> float:
    """Of one step: what twice the steps cost more; start-up cancels out."""
    short = run([*command, "--steps", str(steps)])
    long = run([*command, "--steps", str(2 * steps)])
    if short.returncode or long.returncode:
        raise RuntimeError(last_line(short.stderr + long.stderr))
    return (long.seconds - short.seconds) / steps


class Corner:
    """A program of tests/integration/endtoend/programs in one of the places
    where CUPTI, the driver and the end of a process meet."""

    def __init__(self, command, variables=None, checks=()):
        self.command = [CORNERS / command[0], *command[1:]]
        self.variables = variables or {}
        self.checks = checks  # of (tapped run, trust of its trace)


def flat_memory(run, trust):
    resident = [int(line) for line in run.stdout.split()]
    grown = resident[-1] - resident[1]
    return [] if grown < 32 << 10 else [f"{grown} KiB more at the end"]


def no_refused_buffer(run, trust):
    lost = trust["lost"].get("activity_buffer", 0)
    return [f"{lost} activity buffers"] if lost else []


def every_launch_has_its_kernel(run, trust):
    lost = trust["launches_without_kernel"]
    return [f"{lost} launches_without_kernel"] if lost else []


# Output is compared with the bare run's, but for memory sizes.
CORNER_PROGRAMS = {
    "after_the_limit": Corner(["long_run", "500"],
                              {"DLTAP_MAX_MB": "4:stop"}, [flat_memory]),
    "short_threads": Corner(["long_run", "10", "200"], None,
                            [no_refused_buffer]),
    "late_exit": Corner(["late_exit"]),
    "late_exit_thread": Corner(["late_exit", "thread"]),
    "client_under_load": Corner(["locked_client"]),
    "device_reset": Corner(["reset"], None, [every_launch_has_its_kernel]),
    "capture_global": Corner(["captures", "0"], None,
                             [every_launch_has_its_kernel]),
    "capture_thread_local": Corner(["captures", "1"], None,
                                   [every_launch_has_its_kernel]),
    "capture_relaxed_fork": Corner(["captures", "2", "fork"], None,
                                   [every_launch_has_its_kernel]),
}


def check_corner(machine, corner, folder) -> dict:
    """Bare and tapped: same exit and output, and what the trace must say."""
    bare = machine.bare(corner.command)
    if bare.returncode != 0:
        return {"state": "skipped", "why": last_line(bare.stderr)}
    tapped = machine.tapped(corner.command, folder, **corner.variables)
    problems = []
    if tapped.returncode != bare.returncode:
        problems.append(f"exit code {tapped.returncode}: "
                        f"{last_line(tapped.stderr)}")
    prints_memory = corner.command[0].name == "long_run"
    if not prints_memory and tapped.stdout != bare.stdout:
        problems.append("stdout differs")
    try:
        trust = chain.report(folder)["trust"]
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return {"state": "failed", "problems": [*problems, str(error)[:500]]}
    if trust["level"] != "kernels":
        problems.append(f"level {trust['level']}: {trust['why']}")
    if not problems:
        problems = [problem for check in corner.checks
                    for problem in check(tapped, trust)]
    return {"state": "failed" if problems else "passed", "problems": problems,
            "seconds": {"bare": round(bare.seconds, 2),
                        "tapped": round(tapped.seconds, 2)}, "trust": trust}


def measure_overhead(machine, command, steps, rounds, folder) -> dict:
    """Median step time bare and by level; the kinds take turns."""
    counter = iter(range(1 << 20))
    kinds = {"bare": machine.bare}
    for level in ("host", "kernels"):
        kinds[level] = lambda words, level=level: machine.tapped(
            words, folder / f"{level}{next(counter)}", level)
    seconds = {kind: [] for kind in kinds}
    try:
        for _ in range(rounds):
            for kind, run in kinds.items():
                seconds[kind].append(step_seconds(run, command, steps))
    except RuntimeError as error:
        return {"state": "skipped", "why": str(error)}
    medians = {kind: statistics.median(s) for kind, s in seconds.items()}
    return {"state": "measured", "steps": steps, "rounds": rounds,
            "step_us": {kind: round(s * 1e6, 2) for kind, s in medians.items()},
            "overhead_ratio": {
                level: round(medians[level] / medians["bare"] - 1, 4)
                if medians["bare"] > 0 else None
                for level in ("host", "kernels")}}


def expectation(command):
    """None where the program finds no CUDA libraries to start with."""
    libraries = [os.environ.get("LD_LIBRARY_PATH", ""), str(chain.SIMGPU)]
    environment = os.environ | {"LD_LIBRARY_PATH": ":".join(libraries)}
    done = Machine.run([*command, "--expect"], environment)
    return json.loads(done.stdout) if done.returncode == 0 else None


def programs(quick):
    """name -> (command, steps, expectation), and what is missing."""
    found, missing = {}, {}
    for name, (binary, *options) in CPP.items():
        path = chain.WORKLOADS / binary
        if not path.exists():
            missing[name] = f"no {path}"
            continue
        command = [path, *options]
        found[name] = (command, 20 if quick else 200,
                       expectation(command))
    for name, (script, *options) in SCRIPTS.items():
        if importlib.util.find_spec("torch") is None:
            missing[name] = f"{sys.executable} has no torch"
        elif not quick:
            found[name] = ([sys.executable, chain.SCRIPTS / script, *options],
                           30, None)
    return found, missing


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="real")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for folder in ("traces", "overhead"):  # of an earlier run
        shutil.rmtree(args.out / folder, ignore_errors=True)
    machine = Machine(args.gpu)
    found, missing = programs(args.quick)
    result = {"schema": "dltap.acceptance", "version": 1,
              "machine": machine.describe(), "programs": {}, "corners": {},
              "overhead": {}}
    for name, why in missing.items():
        result["programs"][name] = {"state": "skipped", "why": why}
    for name, (command, steps, expected) in found.items():
        outcome = check_program(machine, command, steps,
                                args.out / "traces" / name, expected)
        result["programs"][name] = outcome
        print(f"{name}: {outcome['state']} "
              f"{outcome.get('why') or '; '.join(outcome.get('problems', []))}")
    for name, corner in CORNER_PROGRAMS.items():
        outcome = ({"state": "skipped", "why": f"no {corner.command[0]}"}
                   if not corner.command[0].exists() else
                   check_corner(machine, corner,
                                args.out / "traces" / f"corner_{name}"))
        result["corners"][name] = outcome
        print(f"{name}: {outcome['state']} "
              f"{outcome.get('why') or '; '.join(outcome.get('problems', []))}")
    for name in ("cnn", "lstm", "transformer"):
        if name in found:
            outcome = measure_overhead(
                machine, found[name][0], 100 if args.quick else 1000,
                1 if args.quick else 5, args.out / "overhead" / name)
            result["overhead"][name] = outcome
            print(f"{name}: step time {outcome}")
    states = [p["state"] for part in ("programs", "corners")
              for p in result[part].values()]
    result["passed"] = "failed" not in states and "passed" in states
    path = args.out / "acceptance.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{states.count('passed')} passed, {states.count('failed')} failed, "
          f"{states.count('skipped')} skipped; {path}")
    return 0 if result["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
