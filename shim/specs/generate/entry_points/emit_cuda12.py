# SPDX-License-Identifier: Apache-2.0
"""What the simulated libraries of CUDA 12 have beside those of CUDA 13.

They are linked from the same objects. A function of CUDA 13 that is another
one in CUDA 12 is renamed there (dltap13_...), and a weak body here takes its
name; hand-written ones of simgpu/cuda12 win over it.
"""

from __future__ import annotations

import re

from entry_points import emit_simgpu, model, text
from entry_points.cuda12 import (HIDDEN, Difference, Differences, Struct,
                                 VERSIONS_HEADER, added_header, shown_name, shown_prototype)
from entry_points.spec import LibrarySpec

_ADDED = """\
{includes}
// Functions that CUDA 12 has and CUDA 13 has not.
extern "C" {{
{prototypes}}}
"""

_HEADER = """\
{defines}
{includes}
#include <cstddef>

#include "simgpu/cuda12/difference.h"

extern "C" {{

// CUDA 13's functions that CUDA 12 has otherwise, by the names that they get
// in the libraries of CUDA 12.
{hidden}
#pragma GCC visibility push(default)
{prototypes}
#pragma GCC visibility pop

}}

namespace dltap::simgpu::cuda12 {{

// CUPTI's callback ids in CUDA 12.
inline constexpr CbidRow kCbids[] = {{
{cbids}}};

// Structures of another layout. FieldPlace: offsets in CUDA 12 and 13, bytes.
{structs}
}}  // namespace dltap::simgpu::cuda12
"""

_VERSIONS = """\
// What the headers of CUDA 12 say that they are.
{rows}"""

_STRUCT = """\
struct {name} {{
{members}}};
static_assert(sizeof({name}) == {size});
{asserts}"""

_LAYOUT = """\
template <>
struct Layout<::{name}> {{
  static constexpr size_t kBytes = {size};
  static constexpr FieldPlace kFields[] = {{
{rows}  }};
}};
"""

_BODIES = """\
{heading}#include "cuda12/{library}.h"

#include <cstdint>

#include "entry_points.h"
#include "simgpu/base/default_call.h"

{start}
namespace dltap::simgpu::cuda12 {{
namespace {{

template <ApiName kSymbol>
ApiFunction& This() {{
  return FunctionOf12<"{library}", kSymbol, CbidIn(kCbids, kSymbol.text)>();
}}

}}  // namespace
}}  // namespace dltap::simgpu::cuda12

using dltap::simgpu::CallAs;
using dltap::simgpu::cuda12::Converted;
using dltap::simgpu::cuda12::This;

{bodies}
#undef SIMGPU_DEFAULT
"""

_FORWARD = """\
SIMGPU_DEFAULT {result} {symbol}({parameters}) {{
{conversions}  const CallAs as(This<"{symbol}">());
  return {target}({arguments});
}}
"""


def has_bodies(spec: LibrarySpec) -> bool:
    """Known from the spec alone: its library has headers, and a file of its
    own in CUDA 12."""
    sonames = spec.sonames
    return bool(spec.units) and "cuda12" in sonames and \
        sonames["cuda12"] != sonames.get("cuda13")


def names(library: str, spec: LibrarySpec) -> list[str]:
    if not has_bodies(spec):
        return []
    return [added_header(library), f"cuda12/{library}.h",
            f"cuda12/{library}_renames.txt", bodies_file(library)]


def bodies_file(library: str) -> str:
    return f"simgpu_cuda12_{library}.cc"


def emit_versions(differences: Differences, out: text.Output) -> None:
    out.add(VERSIONS_HEADER, text.header(VERSIONS_HEADER, _VERSIONS.format(
        rows=_lines(f"#define DLTAP_CUDA12_{name} {value}"
                    for name, value in differences.versions))))


def emit(spec: LibrarySpec, differences: Differences,
         functions: list[model.Function], out: text.Output) -> None:
    """`functions`: those of unit(), by name."""
    library = spec.name
    rows = [r for r in differences.of(library) if r.kind != "removed"]
    includes = _includes(spec.units[0].includes)
    out.add(added_header(library), text.header(
        added_header(library), _ADDED.format(
            includes=includes, prototypes=_lines(
                f"{r.prototype};" for r in rows if r.kind == "added"))))
    hidden = [r.symbol for r in rows if r.kind in ("changed", "layout")]
    out.add(f"cuda12/{library}_renames.txt",
            _lines(f"{s} {HIDDEN}{s}" for s in hidden))
    used = [differences.structs[n] for n in sorted(differences.structs)
            if any(_mentions(r.prototype, n) for r in rows)]
    out.add(f"cuda12/{library}.h", text.header(
        f"cuda12/{library}.h", _HEADER.format(
            defines=_lines(_define(d) for d in spec.units[0].defines),
            includes=includes,
            hidden=_lines(f"decltype(::{s}) {HIDDEN}{s};" for s in hidden),
            prototypes=_lines(_declaration(r) for r in rows),
            cbids=_lines(f'    {{"{r.symbol}", {r.cbid}}},' for r in rows),
            structs="\n".join(_struct(s) for s in used))))
    by_name = {f.symbol: f for f in functions}
    out.add(bodies_file(library), _BODIES.format(
        heading=text.HEADING, library=library,
        start=emit_simgpu.BODY_START,
        bodies="\n".join(
            emit_simgpu.default_body(by_name[r.symbol], spec, shown_name(r))
            if r.kind == "changed" or (r.kind == "added" and not r.same_as)
            else _forward(r, by_name[r.symbol], used, hidden)
            for r in rows)))


def _declaration(row: Difference) -> str:
    label = f' __asm__("{row.symbol}")' if row.kind == "changed" else ""
    return f"{shown_prototype(row)}{label};"


def _lines(items) -> str:
    return "".join(f"{item}\n" for item in items)


def _define(define: str) -> str:
    name = define.split("=")[0]
    return f"#ifndef {name}\n#define {define.replace('=', ' ')}\n#endif"


def _includes(headers: tuple[str, ...]) -> str:
    return _lines(f"#include <{h}>" for h in headers)


def _mentions(prototype: str, struct: str) -> bool:
    return re.search(rf"\b{struct}\b", prototype) is not None


def _struct(struct: Struct) -> str:
    """The structure itself where it is plain, and where its fields lie."""
    plain = ""
    if not any("." in f.path for f in struct.fields if f.path != "uuid.bytes"):
        members = _lines(f"  {_member(f.type, f.path.replace('.', '_'))};"
                         for f in struct.fields)
        asserts = _lines(
            f"static_assert(offsetof({struct.name}, "
            f"{f.path.replace('.', '_')}) == {f.offset});"
            for f in struct.fields)
        plain = _STRUCT.format(name=struct.name, members=members,
                               size=struct.size, asserts=asserts)
    rows = _lines(f"      {{{f.offset}, {f.new_offset}, {f.size}}},"
                  for f in struct.fields if f.new_offset is not None)
    return plain + _LAYOUT.format(name=struct.name, size=struct.size,
                                  rows=rows)


def _member(type_: str, name: str) -> str:
    base, bracket, rest = type_.partition("[")
    return f"{base} {name}{bracket}{rest}"


def _forward(row: Difference, function: model.Function, structs: list[Struct],
             hidden: list[str]) -> str:
    """A body that calls that of CUDA 13."""
    arguments, conversions = [], ""
    for parameter in function.parameters:
        name = parameter.name
        changed = next((s.name for s in structs
                        if _mentions(parameter.type.spelling, s.name)), None)
        if changed is None:
            arguments.append(name)
            continue
        conversions += f"  Converted<::{changed}> {name}_13({name});\n"
        arguments.append(f"{name}_13.get()")
    target = row.same_as or row.symbol
    return _FORWARD.format(
        result=function.result.spelling, symbol=row.symbol,
        parameters=", ".join(emit_simgpu.declare(p.type.spelling, p.name)
                             for p in function.parameters),
        conversions=conversions,
        target=(HIDDEN if target in hidden else "") + target,
        arguments=", ".join(arguments))
