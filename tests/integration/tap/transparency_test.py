# SPDX-License-Identifier: Apache-2.0
"""Does every vendor function behave with the tap as without it?

Usage: transparency_test.py NULL_CALLS LIBDLTAP GENERATED_DIR SIMGPU_DIR PROFILE

Calls each function of each simulated library with zeros, bare and under
LD_PRELOAD, and compares what becomes of the calls: same result, same signal.
Under the tap, dlsym must give a wrapper for the functions that have one, and
the real function for all others.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

SPECS = pathlib.Path(__file__).resolve().parents[3] / "shim/specs"
WRAPPED_ROLES = {"kRecord", "kCount", "kState"}
POINT = re.compile(r"^DLTAP_ENTRY_POINT\(\d+, (\w+), \w+, (\w+), (\w+)\)$",
                   re.M)
# Results beyond any status code are addresses, different in each process.
LARGEST_STATUS = 100_000
# These return a floating-point number: the register that is looked at holds
# anything.
FLOATING = re.compile(r"cublas[SDCZ][cz]?(dot[cu]?|asum|nrm2)")


def run(null_calls, library, names, preload, folder):
    environment = dict(os.environ, DLTAP_SIM_GPU="h100-sxm",
                       DLTAP_OUTPUT=f"{folder}/%p", DLTAP_LOG="off")
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    done = subprocess.run([null_calls, library], input="\n".join(names) + "\n",
                          env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {name: (normal(outcome), pathlib.Path(file).name)
            for name, outcome, file in rows}


def normal(outcome):
    word, _, value = outcome.partition(" ")
    if word == "returned" and abs(int(value)) > LARGEST_STATUS:
        return "returned an address"
    return outcome


def problems(bare, tapped, wrapped, tap_name):
    for name, (outcome, _) in bare.items():
        with_tap, file = tapped.get(name, ("not called", "-"))
        if FLOATING.fullmatch(name):
            outcome, with_tap = outcome.split()[0], with_tap.split()[0]
        if with_tap != outcome:
            yield f"{name}: {outcome} bare, {with_tap} under the tap"
        elif outcome != "not found" and (
                (file == tap_name) != (name in wrapped)):
            yield f"{name}: dlsym gave the code of {file}"


def sonames(profile):
    """(library, file) as the specs name them."""
    for spec in sorted(SPECS.glob("*.toml")):
        library = tomllib.loads(spec.read_text()).get("library", {})
        if profile in library.get("soname", {}):
            yield spec.stem, library["soname"][profile]


def main():
    null_calls, tap, generated, simulated = map(pathlib.Path, sys.argv[1:5])
    profile = sys.argv[5]
    points = POINT.findall((generated / "entry_points.inc").read_text())
    failed = compared = 0
    for name, soname in sonames(profile):
        library = simulated / soname
        names = [s for s, l, _ in points if l == f"k{name.capitalize()}"]
        if not library.exists() or not names:
            continue
        wrapped = {s for s, l, role in points
                   if l == f"k{name.capitalize()}" and role in WRAPPED_ROLES}
        # Half of an address may look like a status: by chance, so not always.
        for _ in range(3):
            # A call that is cut off may leave a child that still ends.
            with tempfile.TemporaryDirectory(
                    ignore_cleanup_errors=True) as folder:
                bare = run(null_calls, library, names, None, folder)
                tapped = run(null_calls, library, names, tap, folder)
            found = list(problems(bare, tapped, wrapped, tap.name))
            if not any("an address" in line for line in found):
                break
        print(f"{library.name}: {len(bare)} functions, {len(found)} differ")
        print("".join(f"  {line}\n" for line in found), end="")
        failed += len(found) + (len(bare) != len(names))
        compared += len(bare)
    return 1 if failed or compared < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
