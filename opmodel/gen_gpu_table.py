#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns opmodel/gpu_table.csv into the initialisers of a constexpr array.

usage: gen_gpu_table.py gpu_table.csv OUTPUT.inc

Each CSV column has one line in FIELDS: the field of GpuSpec that it fills and
the factor from the CSV's unit to the field's. A column that FIELDS does not
know, a repeated name or a value out of range stops the build.
"""

import csv
import sys

TERA, GIGA, MEGA = 1e12, 1e9, 1e6
GIB, MIB, KIB = 2.0**30, 2.0**20, 2.0**10

# CSV column -> (GpuSpec field, factor or None for text, smallest, largest)
FIELDS = {
    "name": ("name", None, None, None),
    "product": ("product", None, None, None),
    "vendor": ("vendor", None, None, None),
    "architecture": ("architecture", None, None, None),
    "compute_major": ("compute_major", int, 0, 20),
    "compute_minor": ("compute_minor", int, 0, 9),
    "sms": ("sms", int, 1, 1000),
    "fp32_lanes_per_sm": ("fp32_lanes_per_sm", int, 32, 256),
    "base_mhz": ("base_mhz", int, 100, 4000),
    "boost_mhz": ("boost_mhz", int, 100, 4000),
    "fp64_tflops": ("fp64_flops_per_s", TERA, 0.01, 1e3),
    "fp64_tensor_tflops": ("fp64_tensor_flops_per_s", TERA, 0, 1e3),
    "fp32_tflops": ("fp32_flops_per_s", TERA, 0.1, 1e3),
    "tf32_tensor_tflops": ("tf32_flops_per_s", TERA, 0, 1e4),
    "fp16_vector_tflops": ("fp16_vector_flops_per_s", TERA, 0, 1e3),
    "fp16_tensor_tflops": ("fp16_flops_per_s", TERA, 0, 1e5),
    "fp8_tensor_tflops": ("fp8_flops_per_s", TERA, 0, 1e5),
    "int8_tops": ("int8_ops_per_s", TERA, 0, 1e5),
    "memory_gib": ("memory_bytes", GIB, 1, 1000),
    "memory_type": (None, None, None, None),
    "bandwidth_gb_per_s": ("bandwidth_bytes_per_s", GIGA, 10, 1e5),
    "l2_mib": ("l2_bytes", MIB, 0.1, 1000),
    "max_warps_per_sm": ("max_warps_per_sm", int, 8, 128),
    "max_blocks_per_sm": ("max_blocks_per_sm", int, 1, 64),
    "registers_per_sm": ("registers_per_sm", int, 1024, 1 << 20),
    "shared_kib_per_sm": ("shared_bytes_per_sm", "kib", 1, 1024),
    "pcie_gb_per_s": ("pcie_bytes_per_s", GIGA, 1, 1000),
    "nvlink_gb_per_s": ("nvlink_bytes_per_s", GIGA, 0, 10000),
    "tdp_watts": ("tdp_watts", 1.0, 10, 3000),
    "process_nm": ("process_nm", int, 2, 40),
    "kernel_fp32_ratio": ("kernel_fp32_ratio", 1.0, 0.05, 1),
    "kernel_fp32_basis": (None, None, None, None),
    "power_fp32_ratio": ("power_fp32_ratio", 1.0, 0.05, 9),
    "power_fp32_basis": (None, None, None, None),
    "sustained_tensor_ratio": ("sustained_tensor_ratio", 1.0, 0.05, 1.2),
    "sustained_bandwidth_ratio": ("sustained_bandwidth_ratio", 1.0, 0.05, 1),
    "bandwidth_basis": (None, None, None, None),
    # For readers of the CSV.
    "basis_notes": (None, None, None, None),
    "source": (None, None, None, None),
}

VENDORS = {"NVIDIA": "Vendor::kNvidia", "AMD": "Vendor::kAmd"}

HEADER = """\
// GENERATED from opmodel/gpu_table.csv by gen_gpu_table.py. DO NOT EDIT.
"""


# Where a ratio comes from (opmodel/README.md).
BASES = ("fitted", "published", "sibling", "rule", "assumed")


class TableError(Exception):
    pass


def text_initialiser(column, text, where):
    if not text:
        raise TableError(f"{where}: {column} is empty")
    if column == "vendor":
        if text not in VENDORS:
            raise TableError(f"{where}: vendor is '{text}', expected one of "
                             f"{sorted(VENDORS)}")
        return VENDORS[text]
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def initialiser(column, text, where):
    field, factor, smallest, largest = FIELDS[column]
    if factor is None:
        return f"    .{field} = {text_initialiser(column, text, where)},"
    try:
        number = float(text)
    except ValueError:
        raise TableError(f"{where}: {column} is not a number: '{text}'")
    if not smallest <= number <= largest:
        raise TableError(f"{where}: {column} is {text}, expected "
                         f"{smallest} to {largest}")
    if factor is int:
        return f"    .{field} = {int(number)},"
    if factor == "kib":
        return f"    .{field} = {int(number * KIB)},"
    return f"    .{field} = {number * factor!r},"


def generate(path):
    with open(path, newline="", encoding="utf-8") as source:
        reader = csv.DictReader(source)
        columns = reader.fieldnames or []
        if sorted(columns) != sorted(FIELDS):
            odd = sorted(set(columns) ^ set(FIELDS))
            raise TableError(f"{path}: columns missing or unknown: {odd}")
        lines, seen = [HEADER], set()
        for row in reader:
            where = f"{path}:{reader.line_num}"
            if row["name"] in seen:
                raise TableError(f"{where}: {row['name']} is there twice")
            if not row["source"]:
                raise TableError(f"{where}: no source")
            for column in columns:
                if column.endswith("_basis") and row[column] not in BASES:
                    raise TableError(f"{where}: {column} is '{row[column]}', "
                                     f"expected one of {BASES}")
            seen.add(row["name"])
            body = [initialiser(c, row[c], where)
                    for c in FIELDS if FIELDS[c][0]]
            lines.append("GpuSpec{\n" + "\n".join(body) + "\n},\n")
    return "".join(lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        text = generate(sys.argv[1])
    except (OSError, TableError) as error:
        sys.exit(f"gen_gpu_table.py: {error}")
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        output.write(text)


if __name__ == "__main__":
    main()
