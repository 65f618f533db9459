# SPDX-License-Identifier: Apache-2.0
"""Does the tap see every call that the simulated libraries get?

Usage: counts_test.py DLTAP GENERATED_DIR SCRIPT [OPTION ...]

Runs an unmodified PyTorch script under `dltap run --gpu sim:h100-sxm` and
compares, function by function, the calls that the trace holds (recorded or
counted) with those that the libraries counted. Functions that may differ are
listed with the reason; all others must be equal. Skipped without torch.
"""

import collections
import dataclasses
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
POINT = re.compile(r"^DLTAP_ENTRY_POINT\(\d+, (\w+), \w+, (\w+), (\w+)\)$",
                   re.M)
CALL = re.compile(r"^call \S+ thread=\d+ (\w+)", re.M)
COUNT = re.compile(r"^count (\w+) (\d+)", re.M)

# What the tap itself asks the libraries, past its own wrappers.
OWN_CALLS = re.compile(
    r"cupti\w+|cudnnGet\w+|cublasLt\w+GetAttribute|cuda(Runtime|Driver)GetVersion"
    r"|\w+Get(Version|Property)(_v2)?|cudaGetDevice(Count|Properties)")


def run(dltap, script, options, folder):
    counts = folder / "counts"
    environment = dict(os.environ, DLTAP_SIM_COUNTS=str(counts),
                       DLTAP_SIM_CLOCK="skip")
    done = subprocess.run(
        [dltap, "run", "--gpu", "sim:h100-sxm", "-o", folder / "trace", "--",
         sys.executable, script, *options],
        env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{script} failed:\n{done.stderr[-2000:]}")
    simulated = {}
    for line in counts.read_text().splitlines():
        _, symbol, _, number = line.split()
        simulated[symbol] = int(number)
    return simulated, seen_by_tap(dltap, folder / "trace")


def seen_by_tap(dltap, trace):
    dump = subprocess.run([dltap, "dump", trace], capture_output=True,
                          text=True, check=True).stdout
    seen = collections.Counter(CALL.findall(dump))
    for symbol, number in COUNT.findall(dump):
        seen[symbol] += int(number)
    return seen


@dataclasses.dataclass
class Difference:
    symbol: str
    simulated: int
    seen: int
    reason: str  # empty: there is none

    def __str__(self):
        return (f"{self.symbol}: {self.simulated} calls, {self.seen} seen: "
                f"{self.reason}")


def entry_points(generated):
    """(library, role) of each wrapped symbol."""
    text = pathlib.Path(generated, "entry_points.inc").read_text()
    return {symbol: (library, role)
            for symbol, library, role in POINT.findall(text)}


def differences(simulated, seen, points):
    return [Difference(symbol, theirs, ours,
                       reason_to_differ(symbol, points) if ours < theirs
                       else "")
            for symbol in sorted(simulated.keys() | seen.keys())
            if (ours := seen.get(symbol, 0)) !=
               (theirs := simulated.get(symbol, 0))]


def reason_to_differ(symbol, points):
    library, role = points.get(symbol, ("", "kNot"))
    if role == "kNot":
        return "not wrapped"
    if library == "kCuda":
        return "reached by the address that cudaGetDriverEntryPoint gave"
    if OWN_CALLS.fullmatch(symbol):
        return "also called by the tap"
    return ""


def main():
    dltap, generated, script, *options = sys.argv[1:]
    if importlib.util.find_spec("torch") is None:
        print("skipped: this interpreter has no torch")
        return SKIPPED
    points = entry_points(generated)
    with tempfile.TemporaryDirectory() as folder:
        simulated, seen = run(dltap, script, options, pathlib.Path(folder))
    different = differences(simulated, seen, points)
    for difference in different:
        print(difference if difference.reason else f"WRONG {difference}")
    failed = sum(not difference.reason for difference in different)
    equal = len(simulated.keys() | seen.keys()) - len(different)
    print(f"{equal} functions equal, {sum(seen.values())} calls seen")
    if seen["__cudaLaunchKernel"] == 0 or equal < 10:
        print("WRONG: the script hardly used the GPU")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
