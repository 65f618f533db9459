# SPDX-License-Identifier: Apache-2.0
"""The bytes of plain launches, against the tensors that the program passed.

Of each operator of one_by_one.py that launches one kernel, the tensors' bytes
lie between the two bounds.

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
MOST_UNKNOWN = 0.15  # of the operators: casts that a name does not tell


def kernels_by_operator(trace) -> dict:
    """Operator's number -> what was exported of its kernels."""
    events = json.loads(chain.dltap("export", "-o", "-", trace).stdout)
    found = collections.defaultdict(list)
    number = None
    activities = [event for event in events["traceEvents"]
                  if event["ph"] == "X" and event.get("cat") != "call"]
    for event in sorted(activities, key=lambda event: event["ts"]):
        size = event["args"].get("bytes", 0)
        if event["cat"] == "memset" and size >= FIRST_MARK:
            number = int(size) - FIRST_MARK
        elif "class_by_name" in event["args"] and number is not None:
            found[number].append(event)
    return found


def check(operators, kernels) -> int:
    seen = collections.Counter()
    for number, operator in enumerate(operators):
        if len(kernels[number]) != 1:
            continue
        told = kernels[number][0]["args"]
        if "bytes" not in told:
            seen["unknown"] += 1
            continue
        right = told["bytes_least"] <= operator["bytes"] <= told["bytes"]
        seen["right" if right else "wrong"] += 1
        if not right:
            print(operator, told["bytes_least"], told["bytes"],
                  kernels[number][0]["name"][:200])
    print(dict(seen))
    total = sum(seen.values())
    bad = seen["wrong"] > 0 or seen["unknown"] > MOST_UNKNOWN * total
    return 1 if bad or seen["right"] == 0 else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    if not differential_test.has_torch(options.python):
        print("skipped: no Python with torch")
        return differential_test.SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        chain.run_tapped([options.python, PROGRAM, folder / "operators.json"],
                         folder / "trace")
        operators = json.loads((folder / "operators.json").read_text())
        trace, = (folder / "trace").glob("*.dltap")
        return check(operators, kernels_by_operator(trace))


if __name__ == "__main__":
    sys.exit(main())
