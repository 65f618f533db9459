# SPDX-License-Identifier: Apache-2.0
"""JAX's kernels are what XLA's own program says that they are.

XLA names a kernel as the fusion that it was made from. The programs of
xla_programs.py run tapped; class and direction of each of their kernels must
fit what the optimized program has in that fusion: its operations, and the
paths in the traced program that they come from.

    xla_test.py [--python PYTHON] [--only PROGRAM...] [--cuda TOOLKIT]
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import differential_test
import hlo
from differential_test import chain

PROGRAMS = pathlib.Path(__file__).with_name("xla_programs.py")
MOVES = {"transpose", "copy", "slice", "concatenate", "pad", "reverse",
         "convert", "dynamic-update-slice", "dynamic-slice", "gather"}
ACTIVATIONS = ("jit(relu)", "jit(silu)")
RUNS = 3  # as there
# Of the programs' FLOPs, the part that dltap may count too many.
MOST_ABOVE = 1.01
# Of a run, what is handed to cuDNN, of which XLA counts nothing: 16 images of
# 32 x 32, of 3 and 16 channels to 16 and 32, the first without the gradient of
# its input; 16 heads of 128 x 128 / 2 pairs, two products and five backward.
OF_CUDNN = {
    "convolutions": {"conv": 2 * 9 * 16 * (2 * 32 * 32 * 3 * 16 +
                                           3 * 16 * 16 * 16 * 32)},
    "cudnn_attention": {"attention": (2 + 5) * 2 * 16 * 128 * 128 // 2 * 64},
}


def direction_of(path: str, trains: bool) -> str:
    if "rematted_computation" in path:
        return "recompute"
    if "transpose(" in path:
        return "backward"
    return "forward" if "jvp(" in path or not trains else "update"


def directions(work, trains) -> set:
    return {direction_of(one.path, trains) for one in work
            if one.path.startswith("jit(")}


def codes_of(work) -> str:
    return " ".join(sorted(one.opcode for one in work))


def all_in(work, part) -> bool:
    return bool(work) and all(part in one.path for one in work)


def of_rows(work, codes) -> set:
    """Those of what goes over rows, by what it is made of and what it gives."""
    called = {one.path.rsplit("/", 1)[-1] for one in work}
    fit = {"reduction"}
    if "softmax" in work[-1].path or (
            codes["exponential"] and "reduce_max" in called):
        fit.add("softmax")
    if codes["rsqrt"]:
        fit.add("norm")
    return fit


def right_classes(work, name) -> set:
    """The classes that fit what a fusion does."""
    codes = collections.Counter(one.opcode for one in work)
    paths = [one.path for one in work]
    if codes["dot"]:
        return {"gemm"}
    if name.split("_fusion")[0].endswith(("transpose", "pad", "slice")):
        return {"layout"}  # what it is named for
    if codes["reduce-window"] or "select_and_scatter" in "".join(paths):
        return {"pool", "elementwise"}  # a scatter, where XLA tells no path
    if set(codes) <= MOVES:
        return {"layout", "elementwise"} if "broadcast" in name else {"layout"}
    if set(codes) <= {"reduce", "convert"} and all_in(work, "dot_general"):
        return {"gemm", "reduction"}  # a product's parts; by name a sum
    if codes["reduce"] and all_in(work, "softmax"):
        return {"softmax", "reduction"}
    if all_in(work, "softmax"):
        return {"softmax", "elementwise"}
    # By its name over rows, or into fewer numbers.
    if re.match(r"(triton_softmax|fusion|input_.*reduce|loop_reduce)", name):
        return of_rows(work, codes)
    if any(one in work[-1].path for one in ACTIVATIONS):
        return {"activation", "elementwise"}
    if codes["tanh"] == len(work) or codes["maximum"] == len(work):
        return {"activation"}
    return {"elementwise"}


def run(python, cuda, folder, name) -> None:
    chain.run_tapped(
        [python, PROGRAMS, folder, name], folder / f"{name}.trace",
        ("--no-report",), DLTAP_SIM_MEMORY_GB="8", TF_CPP_MIN_LOG_LEVEL="2",
        XLA_FLAGS=f"--xla_gpu_cuda_data_dir={cuda}")


def kernels_of(trace) -> list[dict]:
    return [{"name": event["name"], **event["args"]}
            for event in chain.exported_activities(trace)
            if not event["args"].get("autotune")]


def library_complaints(program, kernels) -> list[str]:
    """What XLA hands to cuDNN, and what dltap found to be so."""
    wanted = set()
    for one in program.instructions():
        if one.target.startswith("__cudnn$conv"):
            wanted.add(("conv", "forward" if "Forward" in one.target
                        else "backward"))
        elif one.target.startswith("__cudnn$fmha"):
            wanted.add(("attention", "backward" if "Backward" in one.target
                        else "forward"))
    seen = {(k["class"], k["direction"].split("_")[0]) for k in kernels
            if k["class_from"] in ("cudnn_graph", "api_arguments")
            and k["class"] in ("conv", "attention")}
    return [] if wanted == seen else [f"cuDNN: {wanted} wanted, {seen} seen"]


def complaints(folder, name) -> tuple[list, collections.Counter]:
    program = hlo.Program((folder / f"{name}.hlo").read_text())
    trains = any("transpose(" in one.path for one in program.instructions())
    fusions = program.kernels()
    kernels = kernels_of(folder / f"{name}.trace")
    # Fusions alike share a kernel, which has the name of one of them.
    passes = collections.defaultdict(set)
    for fusion in fusions.values():
        work = program.work_of(fusion)
        passes[codes_of(work)] |= directions(work, trains)
    found = collections.Counter()
    counts = collections.Counter()
    for kernel in kernels:
        fusion = fusions.get(kernel["name"])
        if fusion is None:
            continue
        work = program.work_of(fusion)
        counts["kernels"] += 1
        classes = right_classes(work, kernel["name"])
        if kernel["class"] not in classes:
            found[f"{kernel['name']}: {kernel['class']}, not "
                  f"{sorted(classes)}: {[one.opcode for one in work][:8]}"] += 1
        told = passes[codes_of(work)]
        counts["one direction"] += len(told) == 1
        side = kernel["direction"].split("_")[0]
        counts["told"] += side != "none" and len(told) == 1
        if side != "none" and told and side not in told:
            found[f"{kernel['name']}: {side}, not {sorted(told)}"] += 1
    if not counts["kernels"]:
        found["no kernel of the program was seen"] += 1
    flops = collections.Counter()
    for kernel in kernels:
        flops[kernel["class"]] += kernel.get("flops", 0) / RUNS
    for of, wanted in OF_CUDNN.get(name, {}).items():
        if abs(flops[of] / wanted - 1) > 1e-6:
            found[f"{of}: {flops[of]:.0f} FLOPs, not {wanted}"] += 1
    known = json.loads((folder / f"{name}.json").read_text())["flops"]
    calls_cudnn = any(one.target.startswith("__cudnn")
                      for one in program.instructions())
    if not calls_cudnn and flops.total() > MOST_ABOVE * known:
        found[f"{flops.total():.0f} FLOPs, XLA counts {known:.0f}"] += 1
    lines = [f"{count} x {text}" for text, count in found.items()]
    return lines + library_complaints(program, kernels), counts


def names_of_programs(programs) -> list[str]:
    """Without the interpreter that has the framework."""
    lines = programs.read_text().splitlines()
    return [line.removeprefix("def ").split("(")[0]
            for before, line in zip(lines, lines[1:]) if before == "@program"]


def compare(description, module, programs, run_one, complaints_of) -> int:
    """The main program of a test against a framework's own account."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--python", default="-")
    parser.add_argument("--cuda", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    if options.python == "-" or subprocess.run(
            [options.python, "-c", "import importlib.util as u, sys;"
             f"sys.exit(u.find_spec({module!r}) is None)"]).returncode != 0:
        print(f"skipped: no Python with {module}")
        return differential_test.SKIPPED
    names = [name for name in names_of_programs(programs)
             if not options.only or name in options.only]
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: run_one(options.python, options.cuda,
                                               folder, name), names))
        for name in names:
            lines, counts = complaints_of(folder, name)
            print(f"{name}: {dict(counts)}", *lines, sep="\n  ")
            bad += bool(lines)
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(compare(__doc__, "jax", PROGRAMS, run, complaints))
