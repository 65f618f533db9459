# SPDX-License-Identifier: Apache-2.0
"""Do the lists of what CUDA 12 has otherwise say what its headers say?

Usage: cuda12_lists_test.py CUDA13_ROOT CUDA12_ROOT

Makes the lists of shim/specs/cu12 anew and compares. Skipped where the headers
of CUDA 12 are not: scripts/setup.sh --cu12 fetches them.
"""

import difflib
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
SOURCE = pathlib.Path(__file__).resolve().parents[4]
SPECS = SOURCE / "shim" / "specs"


def main():
    new, *old = sys.argv[1:]
    if not old or not old[0]:
        print("skipped: no headers of CUDA 12; scripts/setup.sh --cu12")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-B", SOURCE / "shim/specs/generate/gen_cuda12_differences.py",
             "--specs", SPECS, "--old", f"{old[0]}/include", "--new",
             f"{new}/include", "--source", SOURCE, "--out", folder],
            check=True)
        made = {p.name: p.read_text() for p in pathlib.Path(folder).iterdir()}
    committed = {p.name: p.read_text() for p in (SPECS / "cu12").glob("*.tsv")}
    for name in sorted(made.keys() | committed.keys()):
        difference = list(difflib.unified_diff(
            committed.get(name, "").splitlines(), made.get(name, "").splitlines(),
            f"committed {name}", f"headers {name}", lineterm=""))
        print("\n".join(difference) or
              f"{name}: {len(committed[name].splitlines())} lines are right")
    return 0 if made == committed else 1


if __name__ == "__main__":
    sys.exit(main())
