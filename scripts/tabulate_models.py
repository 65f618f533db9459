#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the models that people ask about on simulated GPUs, and writes the page.

    tabulate_models.py [--models NAME...] [--gpus GPU...] [--python PROGRAM]
                       [--dltap PROGRAM] [--out FOLDER]

Writes models.csv and models.md into FOLDER (docs), and charts into its
images/. Runs that models.csv has already are not made again; --again makes
those of the models and GPUs that are named. A run takes 5 to 30 seconds. Some
need Python packages that setup.sh brings with --scoreboard and --frameworks.
"""

import argparse
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import toolchain  # noqa: E402
from model_table.charts import draw  # noqa: E402
from model_table.measure import ROOT, measure  # noqa: E402
from model_table.page import page  # noqa: E402
from model_table.workloads import (GPUS, MXNET,  # noqa: E402
                                   TORCHVISION, WORKLOADS)

COLUMNS = ("model", "kind", "gpu", "batch", "sweep", "unit", "step_ms",
           "per_s", "steps_used", "gpu_busy", "cpu_dependency", "of_peak",
           "tflops", "classified", "weights_mib", "gradients_mib",
           "feature_maps_mib", "workspace_mib", "comm_mib", "dynamic_mib",
           "held_mib", "shares", "long_and_low")
TEXTS = ("model", "kind", "gpu", "unit", "shares", "long_and_low")


def read_rows(path: pathlib.Path) -> list[dict]:
    """Numbers as numbers; "" where there is none."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [{key: value if key in TEXTS or value == "" else
                 int(value) if value.isdigit() else float(value)
                 for key, value in row.items()}
                for row in csv.DictReader(file)]


def write_rows(path: pathlib.Path, rows: list[dict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def plan(models: list[str], gpus: list[str]) -> list[tuple]:
    """(workload, GPU, batch, whether it is one of a sweep), as in the table."""
    runs = []
    for workload in WORKLOADS:
        if models and workload.name not in models:
            continue
        runs += [(workload, gpu, workload.batch, 0) for gpu in gpus]
        if GPUS[0] in gpus:
            runs += [(workload, GPUS[0], batch, 1) for batch in workload.sweep]
    return runs


# Who has a package: a name of build/toolchain.env, an option of setup.sh.
PYTHONS = {"": ("DLTAP_PYTHON", ""),
           TORCHVISION: ("DLTAP_SCOREBOARD_PYTHON", "--scoreboard"),
           MXNET: ("DLTAP_MXNET_PYTHON", "--frameworks")}


def key_of(row: dict) -> tuple:
    return row["model"], row["gpu"], row["batch"]


def run_all(runs: list[tuple], args: argparse.Namespace, rows: list[dict],
            save) -> int:
    """Adds to `rows`, or replaces, and returns how many runs failed."""
    failed = 0
    done = {key_of(row): row for row in rows}
    for workload, gpu, batch, sweep in runs:
        old = done.get((workload.name, gpu, batch or ""))
        if old is not None and not args.again:
            continue
        what = f"{workload.name} on {gpu}" + (f", batch {batch}" * bool(batch))
        try:
            python = (toolchain.chosen(PYTHONS[workload.needs][0])
                      if workload.needs else args.python)
            if python is None:
                raise RuntimeError(f"no {workload.needs} here; scripts/setup.sh"
                                   f" {PYTHONS[workload.needs][1]} brings it")
            row = measure(args.dltap, python, workload, gpu, batch)
        except RuntimeError as error:
            failed += 1
            print(f"{what}: {error}", file=sys.stderr)
            continue
        if old is not None:
            rows.remove(old)
        rows.append({**row, "sweep": sweep})
        print(f"{what}: {row['step_ms']} ms a step")
        save()
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=[],
                        choices=[workload.name for workload in WORKLOADS])
    parser.add_argument("--gpus", nargs="+", default=list(GPUS), choices=GPUS)
    parser.add_argument("--python", default=toolchain.chosen(PYTHONS[""][0]) or
                        "python3", help="dltap looks beside it for what it is "
                        "built for")
    parser.add_argument("--dltap", default=str(ROOT / "build/bin/dltap"))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--again", action="store_true")
    args = parser.parse_args()

    args.out.mkdir(parents=True, exist_ok=True)
    table = args.out / "models.csv"
    rows = read_rows(table)
    order = {(workload.name, gpu, batch or ""): place for place,
             (workload, gpu, batch, _) in enumerate(plan([], list(GPUS)))}

    def save() -> None:
        rows.sort(key=lambda row: order[key_of(row)])
        write_rows(table, rows)

    failed = run_all(plan(args.models, args.gpus), args, rows, save)
    (args.out / "models.md").write_text(page(read_rows(table)),
                                        encoding="utf-8")
    draw(read_rows(table), args.out / "images")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
