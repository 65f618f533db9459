#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_page.py STEPS.csv OPERATIONS.md > docs/accuracy.md

STEPS.csv is what `score_steps.py --out` wrote, OPERATIONS.md what
`score_gemm.py` printed.
"""

import csv
import pathlib
import statistics
import sys

import errors

HERE = pathlib.Path(__file__).resolve().parent


def known(rows, split):
    return [(float(row["modelled_ms"]), float(row["step_ms"]), row)
            for row in rows if row["modelled_ms"] and row["split"] == split]


def kind_of(row):
    return f"{row['gpu']}, {row['mode']}, {row['precision']}, {row['layout']}"


def steps_section(rows):
    parts = []
    for split in ("held_out", "shown"):
        ran = known(rows, split)
        if not ran:
            continue
        pairs = [(modelled, measured) for modelled, measured, _ in ran]
        kinds = errors.table(sorted(ran, key=lambda r: kind_of(r[2])),
                             lambda row: kind_of(row))
        first, *others = kinds.split("\n|---|---|---|---|---|---|\n")
        parts.append(f"### {split.replace('_', ' ').capitalize()} rows\n\n"
                     f"{first}\n|---|---|---|---|---|---|\n"
                     f"{errors.line('**all**', pairs)}\n{others[0]}\n")
    return "\n".join(parts)


def worst_section(rows):
    ran = known(rows, "shown") + known(rows, "held_out")
    ran.sort(key=lambda r: -abs(r[0] / r[1] - 1))
    lines = ["### The ten worst\n",
             "| model | kind | measured, ms | modelled, ms | |",
             "|---|---|---|---|---|"]
    for modelled, measured, row in ran[:10]:
        lines.append(f"| {row['model']} | {kind_of(row)} | {measured:.1f} | "
                     f"{modelled:.1f} | {(modelled / measured - 1) * 100:+.0f} "
                     "% |")
    return "\n".join(lines) + "\n"


def failures_section(rows):
    failed = [row for row in rows if row["error"]]
    if not failed:
        return ""
    lines = ["### Did not run here, though it was published\n"]
    lines += [f"- {row['model']}, {kind_of(row)}, batch {row['batch']}: "
              f"{row['error']}" for row in failed]
    return "\n".join(lines) + "\n"


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    seconds = [float(row["wall_s"]) for row in rows if row["wall_s"]]
    operations = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").strip()
    print((HERE / "page_head.md").read_text(encoding="utf-8"))
    print(steps_section(rows))
    print(worst_section(rows))
    print(failures_section(rows))
    print("![modelled against measured](images/accuracy.svg)\n")
    print(f"{len(rows)} configurations of the list were run; one took "
          f"{statistics.median(seconds):.1f} s (median, two at a time).\n")
    print("## Single operations\n\naiconfigurator's tables (Apache-2.0), "
          "`dltap predict` without any run. GEMMs were replayed by a graph; "
          "an\nattention call is two kernels there, as here: one more puts "
          "keys and values into their cache.\n")
    print(operations + "\n")
    print((HERE / "page_peers.md").read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
