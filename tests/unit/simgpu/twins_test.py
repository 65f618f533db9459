# SPDX-License-Identifier: Apache-2.0
"""Does each generated function of the runtime answer as the driver's does?

Usage: twins_test.py SIMGPU_SOURCE_DIR SIMGPU_DIR

Calls every function of the lists (calls.toml), its per-thread variants and,
where the runtime shares a body with the driver or forwards to it, the driver's
function too, all with nulls. Twins must return the same code, and each call
must be counted once, as implemented, under its own name.
"""

import collections
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ARGUMENTS = 24  # as many words of nulls as any call reads
# Codes of the runtime that the driver spells otherwise.
SPELLED = {9: 1, 12: 1, 21: 1, 98: 400, 13: 500}
# The legacy default stream cannot be captured, a thread's own can.
ONLY_PER_THREAD = ("StreamBeginCapture", "StreamBeginCapture_v2",
                   "StreamEndCapture")
PREFIX = {"cuda": "cu", "cudart": "cuda"}


def entries(path, prefix):
    """(table, needs, symbol, body) of a list."""
    for table, rows in tomllib.loads(path.read_text()).items():
        for needs, words in rows.items():
            for word in words.split():
                symbol, _, target = word.partition("=")
                bare = symbol.lstrip("_").removeprefix(prefix)
                yield (table, needs, symbol,
                       target or re.sub(r"_v\d$", "", bare))


def variants(library, symbol):
    return [name for name in (symbol, symbol + "_ptsz", symbol + "_ptds")
            if hasattr(library, name)]


def call(library, symbol):
    return getattr(library, symbol)(*[ctypes.c_uint64(0)] * ARGUMENTS)


def twins(source, driver):
    """Function of the runtime -> functions of the driver, any of which may be
    its twin."""
    bodies = collections.defaultdict(list)
    for _, _, symbol, body in entries(source / "driver/calls.toml", "cu"):
        bodies[body].append(symbol)
    for table, _, symbol, target in entries(source / "cudart/calls.toml",
                                            "cuda"):
        if table == "shared":
            yield symbol, bodies[target]
        elif table == "forward":
            yield symbol, [target]


def call_all(source, folder):
    """Prints what is wrong; the calls are counted by the libraries."""
    driver = ctypes.CDLL(str(folder / "libcuda.so.1"))
    runtime = ctypes.CDLL(str(folder / "libcudart.so.13"))
    call(runtime, "cudaFree")  # makes a context
    answers = {}
    for library, name in ((driver, "cuda"), (runtime, "cudart")):
        folder_name = "driver" if name == "cuda" else name
        for _, _, symbol, _ in entries(source / folder_name / "calls.toml",
                                       PREFIX[name]):
            found = {v: call(library, v) for v in variants(library, symbol)}
            answers[symbol] = found[symbol]
            differ = len(set(found.values())) > 1
            if differ != symbol.endswith(ONLY_PER_THREAD):
                print(f"variants {'differ' if differ else 'agree'}: {found}")
    for symbol, others in twins(source, driver):
        code = SPELLED.get(answers[symbol], answers[symbol])
        theirs = {other: answers[other] if other in answers
                  else call(driver, other) for other in others}
        if code not in theirs.values():
            print(f"{symbol} returned {answers[symbol]}, its twin {theirs}")


def counted_once(counts, source, folder):
    """Functions that were not called once under their own name."""
    rows = dict(line.split()[1:3] for line in counts.read_text().splitlines())
    for name, soname in (("driver", "libcuda.so.1"),
                         ("cudart", "libcudart.so.13")):
        library = ctypes.CDLL(str(folder / soname))
        prefix = "cu" if name == "driver" else "cuda"
        for _, _, symbol, _ in entries(source / name / "calls.toml", prefix):
            for variant in variants(library, symbol):
                if rows.get(variant) != "real":
                    yield f"{variant} is counted as {rows.get(variant)}"


def main():
    source, folder = map(pathlib.Path, sys.argv[1:3])
    if len(sys.argv) > 3:
        call_all(source, folder)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        counts = pathlib.Path(scratch, "counts")
        environment = os.environ | {
            "DLTAP_SIM_GPU": "h100-sxm", "DLTAP_SIM_QUIET": "1",
            "DLTAP_SIM_CLOCK": "virtual", "LD_LIBRARY_PATH": str(folder),
            "DLTAP_SIM_COUNTS": str(counts)}
        run = subprocess.run([sys.executable, *sys.argv, "child"], text=True,
                             env=environment, capture_output=True)
        problems = run.stdout.splitlines() + run.stderr.splitlines()
        if run.returncode:
            problems.append(f"the calls ended with {run.returncode}")
        else:
            problems += counted_once(counts, source, folder)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
