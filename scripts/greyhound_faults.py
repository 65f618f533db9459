#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""greyhound_faults.py [OPTIONS] FILE: prints DLTAP_SIM_FAULTS for a file of
fail-slows in the format of Greyhound (ATC '25).

A line is a fail-slow; times are seconds from the start of the run:

    comm;START;DURATION;[A,B]     other traffic loads the link from A to B
    START;END;[RANK,...];DELAY    each forward pass on these ranks takes DELAY
                                  seconds longer

The format does not say what share of its bandwidth a loaded link keeps, nor
how long a step is, which a speed needs: --link and --step do.

    DLTAP_SIM_FAULTS=$(scripts/greyhound_faults.py --step 0.5 FILE) dltap run ...
"""
import argparse
import math
import sys


def numbers(text: str) -> list[int]:
    """"[0,1]"."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"{text!r} is no list of ranks")
    found = [int(word) for word in text[1:-1].split(",")]
    if any(rank < 0 for rank in found):
        raise ValueError(f"{text!r} holds a rank below 0")
    return found


def seconds(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{text!r} is no time")
    return value


def positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(text)
    return value


def times(begin: float, end: float) -> str:
    if end <= begin:
        raise ValueError("it ends before it begins")
    return f"{begin:.9g}-{end:.9g}"


def rules_of(line: str, options: argparse.Namespace) -> list[str]:
    fields = line.split(";")
    if len(fields) != 4:
        raise ValueError("not four fields with semicolons between")
    if fields[0].strip() == "comm":
        begin, ranks = seconds(fields[1]), numbers(fields[3])
        if len(ranks) != 2 or ranks[0] == ranks[1]:
            raise ValueError(f"{fields[3]!r} are not two ranks")
        span = times(begin, begin + seconds(fields[2]))
        return [f"link:{ranks[0]}-{ranks[1]}@{span}:x{options.link:g}"]
    span = times(seconds(fields[0]), seconds(fields[1]))
    delay = seconds(fields[3])
    if options.step is None:
        raise ValueError("a delay becomes a speed by --step SECONDS only")
    speed = options.step / (options.step + delay)
    return [f"gpu:{rank}@{span}:x{speed:.6g}" for rank in numbers(fields[2])]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--link", type=positive, default=0.5, metavar="SHARE",
                        help="what a loaded link keeps of its bandwidth "
                             "(default 0.5: two transfers share it)")
    parser.add_argument("--step", type=positive, metavar="SECONDS",
                        help="how long the part of a step between two forward "
                             "passes takes without a delay")
    options = parser.parse_args()
    rules = []
    with open(options.file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                rules += rules_of(line, options)
            except ValueError as error:
                print(f"{options.file}:{number}: {error}", file=sys.stderr)
                return 1
    print(",".join(rules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
