# SPDX-License-Identifier: Apache-2.0
"""Do functions known by name only write the outputs that their lists name?

Usage: named_outputs_test.py NAMES_DIR SIMGPU_DIR

Calls every function of shim/specs/names that has a default body: each output
must be written, in its own width, and nothing behind it.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

ARGUMENTS = 24
UNTOUCHED = 0x5A5A5A5A5A5A5A5A
# type -> bytes written
WIDTHS = {"i32": 4, "i64": 8, "f32": 4, "handle": 8}


def functions(path):
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words and "returns:string" not in words:
            yield words[0], [(int(position), type_) for position, type_ in
                             (word.split(":") for word in words[1:])]


def weak_symbols(library):
    rows = subprocess.run(["nm", "-D", "--defined-only", library], text=True,
                          capture_output=True, check=True).stdout.splitlines()
    return {row.split()[-1].split("@")[0] for row in rows
            if row.split()[1] == "W"}


def problem(function, outputs):
    """What is wrong with one call, "" if nothing."""
    cells = {position: (ctypes.c_uint64 * 2)(UNTOUCHED, UNTOUCHED)
             for position, _ in outputs}
    arguments = [ctypes.c_uint64(0)] * ARGUMENTS
    for position, cell in cells.items():
        arguments[position] = ctypes.c_uint64(ctypes.addressof(cell))
    if status := function(*arguments):
        return f"returned {status}"
    for position, type_ in outputs:
        low, high = cells[position]
        mask = (1 << 8 * WIDTHS[type_]) - 1
        if low & mask == UNTOUCHED & mask:
            return f"output {position} is not written"
        if low & ~mask != UNTOUCHED & ~mask or high != UNTOUCHED:
            return f"more than output {position} is written"
        if (low & mask != 0) != (type_ == "handle"):
            return f"output {position} is {low & mask:#x}"
    return ""


def library_of(folder, stem):
    pattern = re.compile(rf"lib{stem}(_host)?\.so\.\d+", re.I)
    return next(p for p in folder.iterdir() if pattern.fullmatch(p.name))


def main():
    names, simulated = map(pathlib.Path, sys.argv[1:3])
    os.environ.update(DLTAP_SIM_GPU="h100-sxm", DLTAP_SIM_QUIET="1")
    failed = called = 0
    for path in sorted(names.glob("*.txt")):
        library = library_of(simulated, path.stem)
        loaded, weak = ctypes.CDLL(str(library)), weak_symbols(library)
        for name, outputs in functions(path):
            if name not in weak:
                continue
            called += 1
            if wrong := problem(getattr(loaded, name), outputs):
                print(f"{library.name}: {name}: {wrong}")
                failed += 1
    print(f"{called} functions called, {failed} wrong")
    return 1 if failed or called < 700 else 0


if __name__ == "__main__":
    sys.exit(main())
