#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a GPU sustains, by the rule for GPUs without measurements.

usage: sustained_rule.py [--table gpu_table.csv] [--write]

Prints each GPU's ratios by the rule, from the other GPUs alone, next to the
table's. --write puts the rule's values into the cells whose basis is "rule".
Three ratios of opmodel/gpu_table.csv:

kernel_fp32_ratio  what long GEMMs keep of the FP32 peak when power does not
    limit them: the median of the other GPUs of the same kernel class.
power_fp32_ratio  what the power limit leaves of the FP32 peak:
    (tdp - MEMORY_J_PER_BYTE * bandwidth) / energy per FLOP / peak, where the
    energy per FLOP is a power of the process node, fitted through the other
    GPUs whose power limit was measured.
sustained_bandwidth_ratio  the median of the other GPUs of the same memory
    class.
"""

import argparse
import csv
import math
import os
import statistics

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                     "gpu_table.csv")

# GDDR6 takes 7.5 pJ per bit, GDDR6X 7.25, HBM2E 6.0 (Micron, "Ultra-Bandwidth
# Solutions", average device power).
MEMORY_J_PER_BYTE = 8 * 7.5e-12

MEASURED = ("fitted", "published")
COLUMNS = {"kernel_fp32_ratio": "kernel_fp32_basis",
           "power_fp32_ratio": "power_fp32_basis",
           "sustained_bandwidth_ratio": "bandwidth_basis"}
LARGEST = {"kernel_fp32_ratio": 1.0, "power_fp32_ratio": 9.0,
           "sustained_bandwidth_ratio": 1.0}


def load(path=TABLE):
    with open(path, newline="", encoding="utf-8") as source:
        return {row["name"]: row for row in csv.DictReader(source)}


def capability(gpu):
    return 10 * int(gpu["compute_major"]) + int(gpu["compute_minor"])


def kernel_class(gpu):
    """GPUs whose FP32 GEMM kernels face the same limits.

    Up to sm_80 a scheduler has issue slots to spare beside the FP32 pipe: 16
    lanes each, or dual issue before Volta. From sm_86 on 32 lanes take every
    slot, so that loads and addresses cost FP32 instructions; what sm_90 and
    sm_100 make of that differs from GeForce's generations and from each other.
    """
    sm = capability(gpu)
    if gpu["vendor"] != "NVIDIA":
        return "matrix cores" if float(gpu["tf32_tensor_tflops"]) else "gcn"
    if sm < 60:
        return "maxwell"
    if sm <= 80:
        return "spare issue slots"
    return f"sm_{sm}" if sm in (90, 100) else "no spare issue slots"


def has_ecc_gddr(gpu):
    return gpu["memory_type"].endswith("ECC")


def share_memory_class(gpu, other):
    """GDDR with ECC keeps its check bits among the data, whatever the
    generation; the rest of Pascal keeps fewer requests in flight than later
    GPUs do, HBM or not."""
    if "AMD" in (gpu["vendor"], other["vendor"]):
        return gpu["vendor"] == other["vendor"]
    if has_ecc_gddr(gpu):
        return has_ecc_gddr(other)
    if capability(gpu) < 70 or capability(other) < 70:
        return capability(gpu) < 70 and capability(other) < 70
    return gpu["memory_type"][:3] == other["memory_type"][:3] and \
        not has_ecc_gddr(other)


def share_kernel_class(gpu, other):
    return kernel_class(gpu) == kernel_class(other)


def measured(table, column, without):
    basis = COLUMNS[column]
    return [gpu for name, gpu in table.items() if name != without and
            gpu[basis] in MEASURED]


def median_of_peers(table, name, column, are_peers):
    values = [float(gpu[column]) for gpu in measured(table, column, name)
              if are_peers(table[name], gpu)]
    return statistics.median(values) if values else None


def compute_watts(gpu):
    memory = MEMORY_J_PER_BYTE * float(gpu["bandwidth_gb_per_s"]) * 1e9
    return float(gpu["tdp_watts"]) - memory


def joules_per_flop(gpu):
    """Of a GPU whose measured ratio is its power limit."""
    flops_per_s = float(gpu["power_fp32_ratio"]) * \
        float(gpu["fp32_tflops"]) * 1e12
    return compute_watts(gpu) / flops_per_s


def fit_energy(table, without=None):
    """-> (joules per FLOP at 1 nm, exponent of the process node)."""
    points = [(math.log(float(gpu["process_nm"])),
               math.log(joules_per_flop(gpu)))
              for gpu in measured(table, "power_fp32_ratio", without)]
    mean_x = statistics.mean(x for x, _ in points)
    mean_y = statistics.mean(y for _, y in points)
    exponent = sum((x - mean_x) * (y - mean_y) for x, y in points) / \
        sum((x - mean_x) ** 2 for x, _ in points)
    return math.exp(mean_y - exponent * mean_x), exponent


def power_ratio(table, name):
    gpu = table[name]
    joules, exponent = fit_energy(table, name)
    flops_per_s = compute_watts(gpu) / \
        (joules * float(gpu["process_nm"]) ** exponent)
    return flops_per_s / (float(gpu["fp32_tflops"]) * 1e12)


def ratios_by_rule(table, name):
    """column -> the rule's value, from the other GPUs; None: no such GPU."""
    if table[name]["vendor"] != "NVIDIA":
        power = None
    else:
        power = power_ratio(table, name)
    values = {
        "kernel_fp32_ratio": median_of_peers(
            table, name, "kernel_fp32_ratio", share_kernel_class),
        "power_fp32_ratio": power,
        "sustained_bandwidth_ratio": median_of_peers(
            table, name, "sustained_bandwidth_ratio", share_memory_class)}
    return {column: None if value is None
            else round(min(value, LARGEST[column]), 3)
            for column, value in values.items()}


def print_table(table):
    print("| GPU | " + " | ".join(f"{c} | rule" for c in COLUMNS) + " |")
    print("|---|" + "---|" * (2 * len(COLUMNS)))
    for name, gpu in table.items():
        rule = ratios_by_rule(table, name)
        cells = [f"{gpu[c]} {gpu[COLUMNS[c]]} | {rule[c]}" for c in COLUMNS]
        print(f"| {name} | {' | '.join(cells)} |")
    joules, exponent = fit_energy(table)
    print(f"\nenergy: {joules * 1e12:.2f} pJ per FLOP x nm^{exponent:.2f}")


def write(table, path):
    # From measured cells only: the order of the rows does not matter.
    for name, gpu in table.items():
        rule = ratios_by_rule(table, name)
        for column, basis in COLUMNS.items():
            if gpu[basis] == "rule":
                gpu[column] = f"{rule[column]:g}"
    with open(path, "w", newline="", encoding="utf-8") as output:
        writer = csv.DictWriter(output, next(iter(table.values())),
                                lineterminator="\n")
        writer.writeheader()
        writer.writerows(table.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", default=TABLE)
    parser.add_argument("--write", action="store_true",
                        help="update the cells whose basis is the rule")
    options = parser.parse_args()
    table = load(options.table)
    if options.write:
        write(table, options.table)
    print_table(table)


if __name__ == "__main__":
    main()
