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

    def tapped(self, command, trace, level="kernels"):
        return self.run([chain.DLTAP, "run", "--gpu", self.gpu, "--level",
                          level, "--no-report", "-o", trace, "--", *command],
                         os.environ)

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
    if tapped.stdout != bare.stdout:
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
            "join": join}


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
              "machine": machine.describe(), "programs": {}, "overhead": {}}
    for name, why in missing.items():
        result["programs"][name] = {"state": "skipped", "why": why}
    for name, (command, steps, expected) in found.items():
        outcome = check_program(machine, command, steps,
                                args.out / "traces" / name, expected)
        result["programs"][name] = outcome
        print(f"{name}: {outcome['state']} "
              f"{outcome.get('why') or '; '.join(outcome.get('problems', []))}")
    for name in ("cnn", "lstm", "transformer"):
        if name in found:
            outcome = measure_overhead(
                machine, found[name][0], 100 if args.quick else 2000,
                1 if args.quick else 5, args.out / "overhead" / name)
            result["overhead"][name] = outcome
            print(f"{name}: step time {outcome}")
    states = [p["state"] for p in result["programs"].values()]
    result["passed"] = "failed" not in states and "passed" in states
    path = args.out / "acceptance.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{states.count('passed')} passed, {states.count('failed')} failed, "
          f"{states.count('skipped')} skipped; {path}")
    return 0 if result["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
