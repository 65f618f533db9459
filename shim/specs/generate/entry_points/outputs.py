# SPDX-License-Identifier: Apache-2.0
"""The files that a run writes."""

from __future__ import annotations

from entry_points import (emit_analyzer, emit_call_params, emit_common,
                          emit_cuda12, emit_parts,
                          emit_simgpu, emit_tap, emit_tap_tables, model,
                          text)
from entry_points.catalog import Catalog
from entry_points.cuda12 import Differences
from entry_points.spec import LibrarySpec


def emit(catalog: Catalog, extra_exports: list[str],
         differences: Differences,
         in_cuda12: dict[str, list[model.Function]],
         reader) -> text.Output:
    out = text.Output()
    emit_common.emit(catalog, out)
    emit_tap.emit(catalog, out)
    emit_tap_tables.emit(catalog, extra_exports, out)
    emit_tap_tables.emit_checks(catalog, out)
    emit_simgpu.emit(catalog, out)
    emit_call_params.emit(catalog, reader, out)
    emit_cuda12.emit_versions(differences, out)
    for library, spec in catalog.specs.items():
        if emit_cuda12.has_bodies(spec):
            emit_cuda12.emit(spec, differences, in_cuda12.get(library, []),
                             out)
    emit_analyzer.emit(catalog, out)
    return out


def names(specs: dict[str, LibrarySpec]) -> list[str]:
    """What emit() writes, known from the specs alone, for CMake."""
    files = [emit_cuda12.VERSIONS_HEADER, "entry_points.inc", "entry_points.h", "abi_structs.h",
             "tap_tables.h", "tap_tables.cc", "libdltap.lds",
             "entry_point_table.cc"]
    for library, spec in specs.items():
        if spec.has_wrappers:
            files.append(f"tap_traits_{library}.h")
            files += emit_tap.wrapper_files(library, spec.wrapper_files)
            files += [emit_tap_tables.check_file(library, i)
                      for i in range(len(spec.units))]
        if spec.sonames:
            files += [emit_simgpu.defaults_file(library, i)
                      for i in range(max(len(spec.units), 1))]
            files += [f"simgpu/{profile}/{library}.lds"
                      for profile in spec.sonames]
            files += emit_parts.file_names(spec)
            files += emit_call_params.names(library)
            files += emit_cuda12.names(library, spec)
    return sorted(files)
