# SPDX-License-Identifier: Apache-2.0
"""Default bodies and version scripts of the simulated libraries."""

from __future__ import annotations

import fnmatch
import re

from entry_points import emit_parts, model, text
from entry_points.catalog import Catalog, EntryPoint
from entry_points.spec import UNSUPPORTED, LibrarySpec

# What the bodies of a file need, after its includes.
BODY_START = """\
// Weak: a strong definition elsewhere in the same library replaces the default.
// The section tells what was not replaced (simgpu/coverage.py).
#define SIMGPU_DEFAULT                                \\
  extern "C" [[gnu::weak, gnu::visibility("default"), \\
               gnu::section("simgpu_defaults")]]

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace {

using dltap::simgpu::AllocateDefaultHandle;
using dltap::simgpu::CountDefault;
using dltap::specs::EntryPoint;

template <typename T>
[[maybe_unused]] void WriteZero(T* output) {
  if (output != nullptr) *output = T{};
}

template <typename T>
[[maybe_unused]] void WriteHandle(T* output) {
  if (output != nullptr) *output = static_cast<T>(AllocateDefaultHandle());
}

}  // namespace
"""

_DEFAULTS = """\
{heading}{defines}{includes}
#include <cstdint>

#include "entry_points.h"
#include "simgpu/base/default_call.h"

{start}
{bodies}
#undef SIMGPU_DEFAULT
"""

_BODY = """\
SIMGPU_DEFAULT {result} {symbol}({parameters}) {{
  {code}CountDefault(EntryPoint::{identifier}{refusal});
{writes}{final}}}
"""

# Set-up may have failed, or a fault is injected: outputs stay untouched then.
_REFUSAL = "  if (dltap_code != 0) return static_cast<{}>(dltap_code);\n"

_LDS = """\
/* GENERATED from shim/specs/*.toml and the vendor headers by
   gen_entry_points.py. DO NOT EDIT. */
{node}{{
{symbols}  local:
    *;
}};
"""

# Arguments that a function without a prototype may reach.
_UNTYPED_ARGUMENTS = 24


def emit(catalog: Catalog, out: text.Output) -> None:
    for library, spec in catalog.specs.items():
        if not spec.sonames:
            continue
        points = [p for p in catalog.of(library)
                  if p.entry is None or p.entry.get("simulated", True)]
        of_11 = [p for p in points if p.entry and p.entry.is_of_cuda11]
        points = [p for p in points if p not in of_11]
        of_13 = [p for p in points if p.symbol not in spec.added]
        for unit in range(max(len(spec.units), 1)):
            out.add(defaults_file(library, unit),
                    _defaults(spec, of_13, unit))
        for profile, soname in spec.sonames.items():
            exported = _exported(spec, profile, points)
            if profile == "cuda11":
                exported = exported + of_11
            out.add(f"simgpu/{profile}/{library}.lds",
                    _script(spec, soname, exported))
        emit_parts.emit(spec, points, _script, out)


def _exported(spec: LibrarySpec, profile: str,
              points: list[EntryPoint]) -> list[EntryPoint]:
    """One file that serves CUDA 12 and 13 exports what either has. Libraries of
    CUDA 11 are linked from those of CUDA 12."""
    if spec.sonames.get("cuda12") == spec.sonames.get("cuda13"):
        return points
    absent = spec.added if profile == "cuda13" else spec.removed
    return [p for p in points if p.symbol not in absent]


def defaults_file(library: str, unit: int) -> str:
    suffix = f"_{unit}" if unit else ""
    return f"simgpu_defaults_{library}{suffix}.cc"


def _script(spec: LibrarySpec, soname: str, points: list[EntryPoint]) -> str:
    return _LDS.format(
        node=f"{spec.node or soname} " if spec.versioned else "",
        symbols="  global:\n" * bool(points)
        + "".join(f"    {name};\n" for name in
                  [*(p.symbol for p in points), *spec.variables]))


def _defaults(spec: LibrarySpec, points: list[EntryPoint], unit: int) -> str:
    defines = includes = ""
    if spec.units:
        defines = "".join(f"#define {d.replace('=', ' ')}\n"
                          for d in spec.units[unit].defines)
        includes = "".join(f"#include <{h}>\n"
                           for h in spec.units[unit].all_includes)
    bodies = [_untyped_body(p, spec.name_outputs[p.symbol])
              if p.symbol in spec.name_outputs
              else default_body(p.function, spec)
              for p in points if p.function.unit == unit]
    return _DEFAULTS.format(heading=text.HEADING, defines=defines,
                            includes=includes, start=BODY_START,
                            bodies="\n".join(bodies))


def default_body(function: model.Function, spec: LibrarySpec,
                 name: str = "") -> str:
    """Counts the call, writes what the function would write, succeeds; or
    refuses, as the spec may say. `name`: its C++ name, if that is not the
    symbol."""
    refuses = _refuses(function, spec)
    writes = [_write(p, function.symbol) for p in function.parameters
              if not refuses and _is_host_output(function, p, spec)]
    parameters = [declare(p.type.spelling, p.name)
                  for p in function.parameters]
    gives_code = (function.result.scalar is not None
                  and function.result.scalar.kind == "enum")
    if gives_code:
        writes.insert(0, _REFUSAL.format(function.result.spelling))
    return _BODY.format(
        code="const int dltap_code = " if gives_code else "",
        result=function.result.spelling, symbol=name or function.symbol,
        parameters=", ".join(parameters + ["..."] * function.variadic),
        identifier=function.identifier, writes="".join(writes),
        refusal=f", {spec.not_supported}" if refuses else "",
        final=_final(function.result))


def _is_host_output(function: model.Function, parameter: model.Parameter,
                    spec: LibrarySpec) -> bool:
    """Globs of functions, or of "function(argument)"."""
    argument = f"{function.symbol}({parameter.name})"
    return any(fnmatch.fnmatchcase(argument if "(" in g else function.symbol,
                                   g) for g in spec.host_outputs)


def _refuses(function: model.Function, spec: LibrarySpec) -> bool:
    entry = spec.entry_for(function.symbol)
    if entry is None or entry.get("simulated") != UNSUPPORTED:
        return False
    if function.result.scalar is None or function.result.scalar.kind != "enum":
        raise model.SpecError(
            f"{entry.where}: {function.symbol} returns no status: it cannot be "
            f"simulated as '{UNSUPPORTED}'")
    return True


def declare(spelling: str, name: str) -> str:
    """A declaration of `name`: arrays decay, function pointers wrap it."""
    if "(*)" in spelling:
        return spelling.replace("(*)", f"(*{name})")
    if "[" in spelling:
        return f"{spelling[:spelling.index('[')]}* {name}"
    return f"{spelling} {name}"


def _final(result: model.Type) -> str:
    if result.is_void:
        return ""
    if result.pointee is not None and result.pointee.kind == "char":
        return '  return "";\n' if result.pointee.const else \
            "  return nullptr;\n"
    return "  return {};\n"


def _write(parameter: model.Parameter, symbol: str) -> str:
    """A statement for an output parameter, "" for any other."""
    pointee = parameter.type.pointee
    if pointee is None or pointee.const:
        return ""
    creates = re.search(r"Create|Init|Open|Register|Subscribe", symbol)
    if pointee.kind == "handle" or (pointee.kind == "pointer" and creates):
        return f"  WriteHandle({parameter.name});\n"
    if pointee.kind in ("int", "uint", "float", "enum", "char", "pointer"):
        return f"  WriteZero({parameter.name});\n"
    if pointee.kind == "struct" and re.search(r"Get|Query", symbol):
        return f"  WriteZero({parameter.name});\n"
    return ""


_UNTYPED_WRITES = {"i32": "WriteZero(reinterpret_cast<int32_t*>({}))",
                   "i64": "WriteZero(reinterpret_cast<int64_t*>({}))",
                   "f32": "WriteZero(reinterpret_cast<float*>({}))",
                   "handle": "WriteHandle(reinterpret_cast<void**>({}))"}


def _untyped_body(point: EntryPoint, outputs) -> str:
    count = max((p + 1 for p, _ in outputs), default=0)
    if count > _UNTYPED_ARGUMENTS:
        raise model.SpecError(f"{point.symbol}: output {count - 1} lies beyond "
                              f"argument {_UNTYPED_ARGUMENTS}")
    writes = "".join(f"  {_UNTYPED_WRITES[t].format(f'argument{p}')};\n"
                     for p, t in outputs)
    gives_code = point.function.result.scalar.kind == "int"
    return _BODY.format(
        code="const int dltap_code = " if gives_code else "",
        result=point.function.result.spelling, symbol=point.symbol,
        parameters=", ".join(f"uint64_t argument{i}" for i in range(count)),
        identifier=point.function.identifier, refusal="",
        writes=(_REFUSAL.format("int") if gives_code else "") + writes,
        final="  return {};\n" if gives_code else '  return "";\n')
