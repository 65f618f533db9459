#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_other_gpus.py RESULTS.csv > docs/accuracy_other_gpus.md

RESULTS.csv is what `score_steps.py other_gpus.csv --out` wrote.
"""

import csv
import sys

from write_page import HERE, failures_section, steps_section, worst_section


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as source:
        rows = list(csv.DictReader(source))
    print((HERE / "other_gpus_head.md").read_text(encoding="utf-8"))
    print("## Whole steps\n")
    print(steps_section(rows))
    print(worst_section(rows))
    print(failures_section(rows), end="")


if __name__ == "__main__":
    main()
