#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares modelled with published times and suggests sustained ratios.

usage: calibrate_opmodel.py --dltap EXE --data DIR [--hold-out]

DIR holds deepbench_{gemm,conv,rnn}.csv and neusight_{bmm,linear,elem,ln,
softmax}.csv.gz: DeepBench's training sheets and NeuSight's test traces in one
CSV per operation, columns as `dltap predict` names them. Prints, as Markdown,

1. the median and mean error of each operation on each GPU;
2. for each GPU the ratio that its rows suggest for the GPU table: the present
   one times the median of modelled / measured over long rows of one bound
   (the smaller FP32 ratio over GEMMs, sustained_bandwidth_ratio over
   elementwise operations);
3. what the table and the rule alone give for the median rate of linear layers
   that NeuSight's authors published of GPUs whose rows are not in DIR;
4. with --hold-out the errors when a GPU's ratios are those that the rule gives
   from the other GPUs (sustained_rule.py), as for a GPU that nobody has
   measured.

Rows faster than the GPU's peak are left out and counted: some sheets hold
something else than times there (the weight gradients of RNNs on Vega and of
pseudo_fp16 on P100).
"""

import argparse
import collections
import csv
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

import sustained_rule

# Names in the published sets -> names in the GPU table.
GPUS = {
    "Tesla V100-PCIE-32GB": "v100-pcie",
    "Tesla P100-PCIE-16GB": "p100-pcie",
    "NVIDIA A100-PCIE-40GB": "a100-40-pcie",
    "Tesla T4": "t4",
    "NV_P100": "p100-pcie",
    "NV_V100": "v100-sxm",  # exceeds the peak of the PCIe board
    "NV_1080Ti": "gtx-1080-ti",
    "NV_TitanXp": "titan-xp",
    "NV_M40": "m40",
    "AMD_VegaFE": "vega-fe",
}
NEUSIGHT_OPS = {"bmm": None, "linear": None, "elem": None,
                "ln": "layer_norm", "softmax": "softmax"}
DIRECTIONS = ("forward", "backward_data", "backward_weight")
# Median TFLOP/s of linear, FP32, over the set's shapes.
PUBLISHED_LINEAR_TFLOPS = {"p4": 4.26, "l4": 8.91, "a100-80-pcie": 17.40,
                           "h100-sxm": 49.5}
LONG_MS = 2.0  # rows for the suggestions: fixed costs do not count


def neusight_rows(folder):
    for name, op in NEUSIGHT_OPS.items():
        path = os.path.join(folder, f"neusight_{name}.csv.gz")
        with gzip.open(path, "rt", newline="") as source:
            for row in csv.DictReader(source):
                row["group"] = "elementwise" if name == "elem" else \
                    op or row["op"]
                row["op"] = op or row["op"]
                row["precision"] = "fp32"
                yield row


def deepbench_rows(folder):
    with open(os.path.join(folder, "deepbench_gemm.csv"), newline="") as source:
        for row in csv.DictReader(source):
            yield dict(row, op="gemm", group="gemm")
    for name in ("conv", "rnn"):
        path = os.path.join(folder, f"deepbench_{name}.csv")
        with open(path, newline="") as source:
            for row in csv.DictReader(source):
                # Some sheets swap the sides of the speech filters. The next
                # layer's input (341 x 79) shows that the long side is along
                # the width.
                if name == "conv" and int(row["w"]) in (700, 341) and \
                        int(row["s"]) < int(row["r"]):
                    row["s"], row["r"] = row["r"], row["s"]
                for direction in DIRECTIONS:
                    op = f"{name}_{direction}"
                    yield dict(row, op=op, group=op,
                               measured_ms=row[f"{direction}_ms"])


def is_time(text):
    try:
        return float(text) > 0
    except (TypeError, ValueError):
        return False


def flops_of(row):
    """Direct FLOPs where they are easy to count, else 0."""
    value = lambda name: int(float(row[name]))
    if row["op"] in ("gemm", "bmm", "linear"):
        batch = 1 if row["op"] == "gemm" else value("b")
        return 2.0 * batch * value("m") * value("n") * value("k")
    if row["op"].startswith("rnn"):
        gates = {"lstm": 4, "gru": 3}.get(row["cell"], 1)
        return 2.0 * gates * value("hidden") ** 2 * value("batch") * \
            value("timesteps")
    return 0


def load_table():
    return sustained_rule.load()


def peak_flops_per_s(gpu, precision):
    column = "fp16_tensor_tflops" if precision == "fp16mixed" else "fp32_tflops"
    return float(gpu[column]) * 1e12


def predict(dltap, gpu, rows, ratios):
    """Runs `dltap predict` on rows; returns its JSON rows, in order.

    ratios: what replaces the GPU table's, by column.
    """
    columns = sorted({name for row in rows for name in row
                      if name not in ("gpu", "group")})
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="",
                                     delete=False) as ops:
        writer = csv.DictWriter(ops, columns, extrasaction="ignore",
                                restval="")
        writer.writeheader()
        writer.writerows(rows)
    try:
        command = [dltap, "predict", "--ops", ops.name, "--gpu", gpu, "--json"]
        command += [f"--ratio={name}={value}" for name, value in ratios.items()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"calibrate_opmodel.py: {done.stderr.strip()}")
        return json.loads(done.stdout)["rows"]
    finally:
        os.unlink(ops.name)


def collect(dltap, folder, table, ratios_of=lambda gpu: {}):
    """-> list of (gpu, precision, group, measured_ms, modelled_ms, bound).

    ratios_of: a GPU's name -> the ratios that replace its own; None leaves the
    GPU out.
    """
    by_gpu = collections.defaultdict(list)
    too_fast = 0
    for row in [*neusight_rows(folder), *deepbench_rows(folder)]:
        if not is_time(row["measured_ms"]):
            continue
        gpu = GPUS[row["gpu"]]
        rate = flops_of(row) / (float(row["measured_ms"]) * 1e-3)
        if rate > 1.1 * peak_flops_per_s(table[gpu], row["precision"]):
            too_fast += 1
            continue
        by_gpu[gpu].append(row)
    results = []
    for gpu, rows in sorted(by_gpu.items()):
        ratios = ratios_of(gpu)
        if ratios is None:
            continue
        for row, predicted in zip(rows, predict(dltap, gpu, rows, ratios)):
            results.append((gpu, row["precision"], row["group"],
                            float(row["measured_ms"]),
                            predicted["modelled_ms"], predicted["bound"]))
    return results, too_fast


def print_errors(results, title):
    """One row per operation, one column per GPU; NVIDIA's in FP32 first."""
    nvidia, others = (collections.defaultdict(list) for _ in range(2))
    for gpu, precision, group, measured, modelled, _ in results:
        label = gpu if precision == "fp32" else f"{gpu} {precision}"
        ratio = modelled / measured
        if precision == "fp32" and gpu != "vega-fe":
            nvidia[group, label].append(ratio)
            nvidia[group, "NVIDIA FP32"].append(ratio)
        else:
            others[group, label].append(ratio)
    print(f"### {title}\n\nMedian (mean) of |modelled / measured - 1| in %.\n")
    print_table(nvidia, ["NVIDIA FP32"])
    print_table(others, [])


def print_table(ratios, first):
    labels = sorted({label for _, label in ratios} - set(first))
    if not labels:
        return
    print(f"| operation | rows | {' | '.join(first + labels)} |")
    print("|---|---|" + "---|" * len(first + labels))
    for group in sorted({group for group, _ in ratios}):
        cells = [error_cell(ratios.get((group, label)))
                 for label in first + labels]
        rows = sum(len(ratios.get((group, label), [])) for label in labels)
        print(f"| {group} | {rows} | {' | '.join(cells)} |")
    print()


def error_cell(ratios):
    if not ratios:
        return "-"
    errors = [abs(ratio - 1) * 100 for ratio in ratios]
    return f"{statistics.median(errors):.0f} ({statistics.mean(errors):.0f})"


def fp32_limit(gpu):
    """The column that limits FP32 GEMMs of a GPU."""
    return min("kernel_fp32_ratio", "power_fp32_ratio",
               key=lambda column: float(gpu[column]))


def print_suggestions(results, table):
    print("### Suggested sustained ratios\n")
    print("| GPU | fp32 now | suggested | bandwidth now | suggested |")
    print("|---|---|---|---|---|")
    for gpu in sorted({result[0] for result in results}):
        cells = []
        for column, groups, wanted in (
                (fp32_limit(table[gpu]), ("gemm", "bmm", "linear"), "compute"),
                ("sustained_bandwidth_ratio", ("elementwise",), "memory")):
            ratios = [r[4] / r[3] for r in results
                      if r[0] == gpu and r[1] == "fp32" and r[2] in groups
                      and r[5] == wanted and r[3] > LONG_MS]
            now = float(table[gpu][column])
            suggested = f"{now * statistics.median(ratios):.3f}" \
                if len(ratios) >= 5 else "-"
            cells += [f"{now:.3f}", suggested]
        print(f"| {gpu} | {' | '.join(cells)} |")
    print()


def print_published_medians(dltap, folder, table):
    shapes = {tuple(row[name] for name in "bmnk"): row
              for row in neusight_rows(folder) if row["op"] == "linear"}
    rows = list(shapes.values())

    def median_tflops(gpu, ratios):
        return statistics.median(
            flops_of(row) / (predicted["modelled_ms"] * 1e-3) / 1e12
            for row, predicted in zip(rows, predict(dltap, gpu, rows, ratios)))

    print("### Linear layers of GPUs without rows, median TFLOP/s\n")
    print("| GPU | published | by the table | by the rule alone |")
    print("|---|---|---|---|")
    for gpu, published in PUBLISHED_LINEAR_TFLOPS.items():
        rule = sustained_rule.ratios_by_rule(table, gpu)
        print(f"| {gpu} | {published} | {median_tflops(gpu, {}):.1f} | "
              f"{median_tflops(gpu, rule):.1f} |")
    print()


def ratios_without(table, gpu):
    """What the rule says of a GPU from the others; None: nothing."""
    ratios = sustained_rule.ratios_by_rule(table, gpu)
    return None if None in ratios.values() else ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dltap", required=True, help="the dltap program")
    parser.add_argument("--data", required=True,
                        help="folder of the published measurements")
    parser.add_argument("--hold-out", action="store_true")
    options = parser.parse_args()
    table = load_table()
    results, too_fast = collect(options.dltap, options.data, table)
    print_errors(results, "Errors")
    print(f"{too_fast} rows above the GPU's peak left out.\n")
    print_suggestions(results, table)
    print_published_medians(options.dltap, options.data, table)
    if options.hold_out:
        held_out, _ = collect(options.dltap, options.data, table,
                              lambda gpu: ratios_without(table, gpu))
        print_errors([row for row in held_out if row[1] == "fp32"],
                     "Errors with the ratios of the rule")


if __name__ == "__main__":
    main()
