# SPDX-License-Identifier: Apache-2.0
"""Do the simulated libraries have every CUDA function that a framework uses?

Usage: used_functions_test.py PYTHON SIMULATED_FOLDER EXCEPTIONS FILE ...

PYTHON is the framework's interpreter, `-` for none: then the test is skipped.
FILEs are glob patterns below its packages. JAX and TensorFlow link to no CUDA
library: each holds a trampoline of the same name for every function of the
vendor's, thousands of them, and looks the real one up at the first call. What a
binary uses are the trampolines that its code calls or takes the address of:
they are found by scanning its instructions for their addresses. What it imports
as a symbol is used as well. EXCEPTIONS has lines `REGEX  reason`.
"""

import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
NAME = re.compile(
    r"(__cuda[A-Z]|cu[A-Z]|cuda[A-Z]|cublas|cudnn[A-Z]|cupti[A-Z]|p?nccl[A-Z]"
    r"|nvrtc[A-Z]|cusolver[A-Z]|cusparse[A-Z]|cufft[A-Z]|curand[A-Z]"
    r"|nvshmemx?_|nvml[A-Z])\w*")
SECTION = re.compile(
    r"\s*\[\s*\d+\]\s+\S+\s+PROGBITS\s+(\w+)\s+(\w+)\s+(\w+)\s+\w+\s+\w*X")
PIECE_BYTES = 1 << 24


def run(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def symbols(path):
    """CUDA names that a file imports, and addresses of those it defines."""
    imported, defined = set(), {}
    for option in ("--debug-syms", "--dynamic"):
        for line in run("nm", option, path):
            *address, kind, name = line.split()
            name = name.split("@")[0]
            if not NAME.fullmatch(name):
                continue
            if kind == "U":
                imported.add(name)
            elif kind in "tTwW" and address:
                defined[int(address[0], 16)] = name
    return imported, defined


def is_reference(before):
    """Whether an instruction whose last four bytes are an offset begins so:
    call, jmp, or lea of an address relative to the program counter."""
    return (before[2] in (0xe8, 0xe9) or
            (before[0] in (0x48, 0x4c) and before[1] == 0x8d and
             before[2] & 0xc7 == 5))


def called(path, defined):
    """Names of `defined` to which the code of a file refers."""
    import numpy  # of the framework's environment
    targets = numpy.array(sorted(defined), numpy.int64)
    content = numpy.memmap(path, numpy.uint8, "r")
    found = set()
    for section in filter(None, map(SECTION.match, run("readelf", "-SW", path))):
        address, begin, size = (int(word, 16) for word in section.groups())
        for piece in range(0, size, PIECE_BYTES):
            # Offsets lie anywhere: four views of the bytes, each aligned.
            for shift in range(piece, piece + 4):
                count = (min(size, piece + PIECE_BYTES + 4) - shift) // 4
                first = begin + shift
                offsets = numpy.array(
                    content[first:first + 4 * count]).view(numpy.int32)
                to = (offsets + numpy.int64(address + shift + 4) +
                      4 * numpy.arange(count))
                near = numpy.flatnonzero(
                    (to >= targets[0]) & (to <= targets[-1]))
                for i in near[numpy.isin(to[near], targets)]:
                    at = first + 4 * int(i)
                    if is_reference(bytes(content[at - 3:at])):
                        found.add(defined[int(to[i])])
    return found


def relocated(path, defined):
    """Names of `defined` whose address the loader writes into a table."""
    found = set()
    for line in run("readelf", "-rW", path):
        words = line.split()
        if len(words) == 4 and words[2] == "R_X86_64_RELATIVE":
            found.add(defined.get(int(words[3], 16)))
        elif len(words) > 4 and words[2].startswith("R_X86_64"):
            found.add(words[4].split("@")[0])
    return {name for name in found if name and NAME.fullmatch(name)}


def simulated(folder):
    names = set()
    for path in folder.glob("*.so*"):
        for line in run("nm", "--dynamic", "--defined-only", path):
            names.add(line.split()[-1].split("@")[0])
    return names


def read_exceptions(path):
    lines = path.read_text().splitlines()
    return [line.split(maxsplit=1) for line in lines
            if line and not line.startswith("#")]


def main():
    python, folder, exceptions, *patterns = sys.argv[1:]
    if python == "-":
        print("skipped: not set up; scripts/setup.sh --frameworks")
        return SKIPPED
    if sys.executable != python:
        os.execv(python, [python, "-B", *sys.argv])
    packages = next(pathlib.Path(python).parents[1].glob("lib/*/site-packages"))
    used = set()
    for path in (p for pattern in patterns for p in packages.glob(pattern)):
        imported, defined = symbols(path)
        mine = imported | relocated(path, defined)
        if defined:
            mine |= called(path, defined)
        print(f"{path.name}: {len(defined)} defined, {len(mine)} used")
        used |= mine
    missing = used - simulated(pathlib.Path(folder))
    for pattern, reason in read_exceptions(pathlib.Path(exceptions)):
        excepted = {name for name in missing if re.fullmatch(pattern, name)}
        missing -= excepted
        if not excepted:
            print(f"not needed any more: {pattern}")
            missing.add(pattern)
        print(f"{len(excepted)} without: {pattern} ({reason})")
    print(f"{len(used)} used names, missing: {sorted(missing) or 'none'}")
    return 1 if missing or len(used) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
