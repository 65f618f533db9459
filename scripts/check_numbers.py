#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_numbers.py [ROOT]: reports print numbers, they don't compute them.

A ratio that two reports work out for themselves is soon two ratios. So nothing
in analyzer/reports divides; metrics/figures/figures.h has every number. Only units.h
scales: ns to ms, a ratio to percent.
"""
import pathlib
import re
import sys

from source_files import ROOT, source_files

FOLDER = "analyzer/reports/"
UNITS = FOLDER + "units.h"

LITERALS = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r"^\s*#[^\n]*", re.M)
DIVISION = re.compile(r"[/%]|\bRatio\s*\(|\bf?mod\s*\(|\bstd::(?:divides|div)\b")
SCALE = re.compile(r"\*\s*\d|(?<![\w.])\d[\w.]*\s*\*|\b\d[\d.]*e[-+]?\d")


def blank(match: re.Match) -> str:
    """Nothing, but as many lines."""
    return "\n" * match.group().count("\n")


def complaints(path: str, text: str) -> list[str]:
    code = INCLUDE.sub(blank, LITERALS.sub(blank, text))
    found = []
    for number, line in enumerate(code.split("\n"), 1):
        if DIVISION.search(line):
            found.append(f"{path}:{number}: a report divides; "
                         "metrics/figures/figures.h is the place for the number")
        elif path != UNITS and SCALE.search(line):
            found.append(f"{path}:{number}: a report scales; use units.h")
    return found


def check(root: pathlib.Path) -> list[str]:
    found = []
    for path in source_files(root):
        if path.startswith(FOLDER) and path.endswith((".h", ".cc")):
            found += complaints(path, (root / path).read_text("utf-8"))
    return found


def main() -> int:
    found = check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
