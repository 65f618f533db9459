#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates everything that depends on vendor prototypes from shim/specs.

Reads shim/specs/*.toml and the vendors' headers; writes wrappers, tables,
version scripts and default bodies. shim/specs/README.md lists the outputs.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from entry_points import cuda12, model, names, spec, text  # noqa: E402

_EXPORTS = "exports.txt"
_CUDA12 = "cu12"  # folder of the lists of differences


def main() -> int:
    options = _options()
    try:
        specs = _load_specs(options.specs)
        if options.list_outputs:
            print("\n".join(_output_names(specs)))
            return 0
        return _generate(options, specs)
    except model.SpecError as error:
        print(f"gen_entry_points: {error}", file=sys.stderr)
        return 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--specs", type=pathlib.Path, required=True, metavar="DIR",
        help="folder of the TOML specs")
    add("--include", type=pathlib.Path, action="append", default=[],
        metavar="DIR", help="folder of vendor headers; may be repeated")
    add("--compiler", default="g++", help="host compiler, for its headers")
    add("--out", type=pathlib.Path, metavar="DIR", help="folder to write to")
    add("--depfile", type=pathlib.Path, metavar="FILE",
        help="write a make rule that names the headers read")
    add("--stamp", type=pathlib.Path, metavar="FILE",
        help="touched on success; the target of the depfile's rule")
    add("--list-outputs", action="store_true",
        help="print the names of the files that --out would get")
    add("--other-version", action="store_true",
        help="headers are not those of CUDA 13.0, for which the specs are "
        "written: what does not fit is left out, with a warning")
    add("--coverage", action="store_true",
        help="print how many functions have which role")
    add("--explain", metavar="SYMBOL",
        help="print the prototype, the spec and the record of one function")
    add("--ceilings", type=pathlib.Path, metavar="FILE",
        help="fail when a library has more unknown functions than it says")
    return parser.parse_args()


def _load_specs(folder: pathlib.Path) -> dict[str, spec.LibrarySpec]:
    paths = sorted(p for p in folder.glob("*.toml")
                   if p.stem in spec.LIBRARIES)
    if not paths:
        raise model.SpecError(f"{folder}: no specs")
    loaded = {path.stem: spec.load(path) for path in paths}
    return {name: loaded[name] for name in spec.LIBRARIES if name in loaded}


def _output_names(specs: dict[str, spec.LibrarySpec]) -> list[str]:
    from entry_points import outputs
    return outputs.names(specs)


def _generate(options: argparse.Namespace,
              specs: dict[str, spec.LibrarySpec]) -> int:
    # Imported here: --list-outputs, which a configure runs, needs no libclang.
    from entry_points import catalog, coverage, explain, headers, outputs
    reader = headers.HeaderReader(options.include, options.compiler)
    # The lists compare with CUDA 13.0: other headers stand for themselves.
    differences = cuda12.Differences() if options.other_version \
        else cuda12.load(options.specs / _CUDA12)
    specs = {name: _with_cuda12(library, differences)
             for name, library in specs.items()}
    functions = {name: _functions(library, reader, options.specs)
                 for name, library in specs.items()}
    for name, library in specs.items():
        spec.check_used(library, functions[name], options.other_version)
    known = catalog.build(specs, functions, options.other_version)
    in_cuda12 = _functions_of_cuda12(specs, differences, reader)
    cuda12.check_wrapped(known, differences, in_cuda12)
    if options.coverage:
        print(coverage.report(known), end="")
    if options.explain:
        print(explain.text_of(known, options.explain), end="")
    if options.ceilings:
        coverage.check(known, options.ceilings)
    if options.out:
        exports = (options.specs / _EXPORTS).read_text().split()
        outputs.emit(known, exports, differences, in_cuda12,
                     reader).write_to(options.out)
    if options.depfile:
        _write_depfile(options, reader.read_files)
    if options.stamp:
        options.stamp.touch()
    return 0


def _with_cuda12(library: spec.LibrarySpec,
                 differences: cuda12.Differences) -> spec.LibrarySpec:
    """Functions that only CUDA 12 has join those of the headers."""
    added = [d for d in differences.of(library.name) if d.kind == "added"]
    units = library.units
    if added:
        units = (dataclasses.replace(
            units[0], text=cuda12.declarations(added),
            text_header=cuda12.added_header(library.name)), *units[1:])
    return dataclasses.replace(
        library, units=units,
        added=differences.names(library.name, "added"),
        removed=differences.names(library.name, "removed"))


def _functions_of_cuda12(specs: dict[str, spec.LibrarySpec],
                         differences: cuda12.Differences, reader
                         ) -> dict[str, list[model.Function]]:
    """The functions that differ, as CUDA 12 declares them."""
    found = {}
    for name, library in specs.items():
        rows = [d for d in differences.of(name) if d.prototype]
        if rows:
            symbols = {cuda12.shown_name(d): d.symbol for d in rows}
            functions = reader.functions(
                (cuda12.unit(library.units[0], rows),), tuple(symbols),
                f"CUDA 12: {library.file}")
            found[name] = [dataclasses.replace(f, symbol=symbols[f.symbol])
                           for f in functions]
    return found


def _functions(library: spec.LibrarySpec, reader,
               folder: pathlib.Path) -> list[model.Function]:
    if not library.name_list:
        return reader.functions(library.units, library.symbols, library.file)
    functions, found = names.load(folder / library.name_list)
    library.name_outputs.update(found)
    return functions


def _write_depfile(options: argparse.Namespace, read_files: set[str]) -> None:
    files = " ".join(f.replace(" ", "\\ ") for f in sorted(read_files))
    options.depfile.write_text(f"{options.stamp}: {files}\n")


if __name__ == "__main__":
    sys.exit(main())
