#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes how the libraries of CUDA 12 differ from those of CUDA 13.

Compares the vendor's headers of both and writes functions.tsv and structs.tsv
(shim/specs/cu12, whose README tells the columns). The build needs these two
files, not the headers of CUDA 12. versions.tsv: what CUDA 12 calls itself.

usage: gen_cuda12_differences.py --specs DIR --old INCLUDE --new INCLUDE
           --source DIR --out DIR [--compiler CXX]
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import gen_cbid_table  # noqa: E402
from entry_points import cuda12, headers, model, spec  # noqa: E402
from entry_points import layouts  # noqa: E402

_CBIDS = "cupti_runtime_cbid.h"
_VERSIONS = {"CUDART_VERSION": "cuda_runtime_api.h",
             "CUBLAS_VERSION": "cublas_v2.h",
             "CUPTI_API_VERSION": "cupti.h"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("specs", "old", "new", "source", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="g++")
    options = parser.parse_args()
    try:
        functions, structs = compare(options)
        versions = versions_of(options)
    except model.SpecError as error:
        print(f"gen_cuda12_differences: {error}", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    cuda12.write_functions(options.out / cuda12.FUNCTIONS, functions)
    cuda12.write_structs(options.out / cuda12.STRUCTS, structs)
    cuda12.write_versions(options.out / cuda12.VERSIONS, versions)
    return 0


def compare(options) -> tuple[list[cuda12.Difference], list[cuda12.Struct]]:
    rows = gen_cbid_table.rows((options.old / _CBIDS).read_text())
    cbids = {symbol: number for symbol, (number, _) in rows.items()}
    found: list[cuda12.Difference] = []
    structs: dict[str, cuda12.Struct] = {}
    for library in spec.LIBRARIES:
        loaded = spec.load(options.specs / f"{library}.toml")
        if not _has_headers(loaded, options.old):
            continue
        old, new = (_Side(loaded, folder, options)
                    for folder in (options.old, options.new))
        changed = layouts.differing(old.records, new.records)
        structs.update({s.name: s for s in changed.values()})
        found += _differences(loaded, old.functions, new.functions, changed,
                              cbids if library == "cudart" else {})
    return found, [structs[name] for name in sorted(structs)]


def versions_of(options) -> list[tuple[str, int]]:
    reader = headers.HeaderReader([options.old], options.compiler)
    return [(name, reader.constant(header, name))
            for name, header in _VERSIONS.items()]


def _has_headers(loaded: spec.LibrarySpec, folder: pathlib.Path) -> bool:
    """Libraries known by name only, or whose headers are the same package for
    both versions, have none there."""
    names = [h for unit in loaded.units for h in unit.includes]
    own = [h for h in names if not h.startswith("shim/")]
    return bool(own) and all((folder / h).exists() for h in own)


class _Side:
    """A library's functions and structures in one set of headers."""

    def __init__(self, loaded, include, options):
        reader = headers.HeaderReader(
            [include, include / "cccl", options.source], options.compiler)
        self.functions = {f.symbol: f for f in reader.functions(
            loaded.units, loaded.symbols, loaded.file)}
        self.records = layouts.of_units(reader, loaded.units)


def _differences(loaded, old, new, changed, cbids):
    for symbol in sorted(old.keys() | new.keys()):
        kind, same_as = _compare(old.get(symbol), new.get(symbol), new,
                                 old, changed)
        if not kind:
            continue
        function = old.get(symbol)
        yield cuda12.Difference(
            loaded.name, symbol, kind, same_as, cbids.get(symbol, 0),
            prototype_of(function) if function else "")


def _compare(old, new, all_new, all_old, changed) -> tuple[str, str]:
    if new is None:
        return "added", _twin(old, all_new, all_old)
    if old is None:
        return "removed", ""
    if _types(old) != _types(new):
        return "changed", ""
    if layouts.touches(old, changed):
        return "layout", ""
    return "", ""


def _twin(old: model.Function, new, all_old) -> str:
    """The function of CUDA 13 with the same prototype under a name without
    the version: cudaGraphAddNode_v2 became cudaGraphAddNode."""
    twin = new.get(cuda12.without_version(old.symbol))
    if twin is None or _types(twin) != _types(old):
        return ""
    return twin.symbol


def _types(function: model.Function) -> list[str]:
    return [function.result.spelling,
            *(p.type.spelling for p in function.parameters)]


def prototype_of(function: model.Function) -> str:
    from entry_points.emit_simgpu import declare
    parameters = ", ".join(declare(p.type.spelling, p.name)
                           for p in function.parameters)
    return f"{function.result.spelling} {function.symbol}({parameters})"


if __name__ == "__main__":
    sys.exit(main())
