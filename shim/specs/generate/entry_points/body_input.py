# SPDX-License-Identifier: Apache-2.0
"""What generators of simulated functions read: one spec, and its headers."""

from __future__ import annotations

import argparse
import dataclasses
import pathlib

from entry_points import headers, model, spec


@dataclasses.dataclass(frozen=True)
class BodyInput:
    library: spec.LibrarySpec
    functions: list[model.Function]
    out: list[pathlib.Path]  # one, or one per unit of the spec


def read(description: str) -> BodyInput:
    """From the command line."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    add = parser.add_argument
    add("--spec", type=pathlib.Path, required=True, help="of the library")
    add("--include", type=pathlib.Path, action="append", default=[])
    add("--compiler", default="g++")
    add("--out", type=pathlib.Path, nargs="+", required=True)
    options = parser.parse_args()
    library = spec.load(options.spec)
    reader = headers.HeaderReader(options.include, options.compiler)
    functions = reader.functions(library.units, library.symbols, library.file)
    return BodyInput(library, functions, options.out)
