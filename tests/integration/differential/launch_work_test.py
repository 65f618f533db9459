# SPDX-License-Identifier: Apache-2.0
"""The bytes of plain launches, against the tensors that the program passed.

Of each operator of one_by_one.py that launches one kernel, the tensors' bytes
lie between the two bounds: of own traces, by the launch, and of the profiler's,
by the operator's shapes.

    launch_work_test.py [--python PYTHON]
"""

import argparse
import collections
import json
import pathlib
import sys
import tempfile

import differential_test
from differential_test import chain

PROGRAM = pathlib.Path(__file__).with_name("one_by_one.py")
FIRST_MARK = 1 << 20  # as there
# Of the operators: casts that a name does not tell; functions that are not known
# by their shapes.
MOST_UNKNOWN = {"tapped": 0.15, "profiled": 0.02}


def kernels_by_operator(trace) -> dict:
    """Operator's number -> what was exported of its kernels."""
    found = collections.defaultdict(list)
    number = None
    for event in chain.exported_activities(trace):
        size = event["args"].get("bytes", 0)
        if event["cat"] == "gpu_memset" and size >= FIRST_MARK:
            number = int(size) - FIRST_MARK
        elif "class_by_name" in event["args"] and number is not None:
            found[number].append(event)
    return found


def check(how, operators, kernels) -> bool:
    """Whether all that is told is right, and most is told."""
    seen = collections.Counter()
    unknown = set()
    for number, operator in enumerate(operators):
        if len(kernels[number]) != 1:
            continue
        told = kernels[number][0]["args"]
        if "bytes" not in told:
            seen["unknown"] += 1
            unknown.add(operator["name"])
            continue
        right = told["bytes_least"] <= operator["bytes"] <= told["bytes"]
        seen["right" if right else "wrong"] += 1
        if not right:
            print(operator, told["bytes_least"], told["bytes"],
                  kernels[number][0]["name"][:200])
    print(how, dict(seen), "unknown:", *sorted(unknown))
    total = sum(seen.values())
    bad = seen["wrong"] > 0 or seen["unknown"] > MOST_UNKNOWN[how] * total
    return not bad and seen["right"] > 0


def run_and_check(python, folder) -> bool:
    out = {how: folder / f"{how}.json" for how in MOST_UNKNOWN}
    chain.run_tapped([python, PROGRAM, out["tapped"]], folder / "trace")
    traces = {"tapped": next((folder / "trace").glob("*.dltap")),
              "profiled": folder / "profile.json"}
    chain.run_bare([python, PROGRAM, out["profiled"], traces["profiled"]])
    # All, not only until the first wrong one.
    return all([check(how, json.loads(out[how].read_text()),
                      kernels_by_operator(trace))
                for how, trace in traces.items()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    if not differential_test.has_torch(options.python):
        print("skipped: no Python with torch")
        return differential_test.SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        right = run_and_check(options.python, pathlib.Path(temporary))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
