#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a list for shim/specs/names from a vendor's headers.

usage: gen_name_list.py --include DIR ... --symbols GLOB ... HEADER ...

For libraries whose headers come only with wheels of hundreds of MB: run by hand
when a new release appears. Which pointers are output parameters in host memory
is told by the function's name (one that asks or creates) and the type. Numbers
that computing functions write lie in device memory, as a rule.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from entry_points import headers, model  # noqa: E402

# Functions that answer in host memory, and those that make an object.
_ASKS = re.compile(
    r"Get[A-Z]|_get_|[cC]reate|Init$|[bB]uffer[sS]ize|Query|Estimate"
    r"|Plan(1d|2d|3d|Many)|PlanGuru|Register$|zeroPivot$")
_CREATES = re.compile(r"[cC]reate|Register$")
_SIZE = re.compile(r"[bB]uffer[sS]ize\d*$")  # an output of any function
# Arrays in host or device memory that functions which ask read.
_INPUT = re.compile(
    r"n|inembed|onembed|rank|h_\w+|\w*(Row|Col)Ptr\w*|\w*(Row|Col)Ind\w*"
    r"|dest|array_d_\w+|d?ipiv|info|devI\w+|(csr|csc|bsr|coo)\w+|[pq]")


def output(function: model.Function, parameter: model.Parameter) -> str:
    """The type of an output parameter, "" when it is none."""
    pointee = parameter.type.pointee
    if pointee is None or pointee.const:
        return ""
    is_pointer = pointee.kind in ("handle", "pointer")
    if is_pointer and _CREATES.search(function.symbol):
        return "handle"
    if _INPUT.fullmatch(parameter.name):
        return ""
    if is_pointer:
        return "i64" if "Get" in function.symbol else ""
    if pointee.kind not in ("int", "uint", "enum"):
        return ""
    width = pointee.scalar.width
    return f"i{8 * width}" if width in (4, 8) else ""


def line(function: model.Function) -> str:
    words = [function.symbol]
    asks = _ASKS.search(function.symbol)
    for position, parameter in enumerate(function.parameters):
        type_ = output(function, parameter)
        if type_ and (asks or _SIZE.search(parameter.name)):
            words.append(f"{position}:{type_}")
    pointee = function.result.pointee
    if pointee is not None and pointee.kind == "char":
        words.append("returns:string")
    return " ".join(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", type=pathlib.Path, action="append",
                        default=[])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--symbols", action="append", required=True)
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    reader = headers.HeaderReader(options.include, options.compiler)
    unit = model.Unit(tuple(options.headers))
    for function in reader.functions((unit,), tuple(options.symbols),
                                     "gen_name_list"):
        print(line(function))
    return 0


if __name__ == "__main__":
    sys.exit(main())
