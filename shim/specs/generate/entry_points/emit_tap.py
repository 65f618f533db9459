# SPDX-License-Identifier: Apache-2.0
"""Wrappers, traits and prototype checks of libdltap.so, per library."""

from __future__ import annotations

import dataclasses

from entry_points import model, text
from entry_points.catalog import Catalog, EntryPoint
from entry_points.payload import Field, packed_range

_STRUCTS = """\
#include <cstdint>

namespace dltap::shim::abi {{

// Vendor structures that are passed by value: same size, alignment and
// register class, so that wrappers need no vendor header.
{structs}
}}  // namespace dltap::shim::abi
"""

_TRAITS = """\
#include <cstddef>
#include <cstdint>

#include "entry_points.h"
#include "abi_structs.h"
#include "shim/specs/pack.h"
#include "vocabulary.h"
#include "shim/tap/entry/gate.h"
#include "shim/tap/entry/traced.h"
{hooks}

namespace dltap::shim {{

{traits}
}}  // namespace dltap::shim
"""

_TRAIT = """\
template <>
struct EntryTraits<specs::EntryPoint::{identifier}> {{
  using Real = {result} (*)({types});
  static constexpr bool kHasHook = {has_hook};
  static constexpr specs::Library kLibrary = specs::Library::k{library};
  static constexpr specs::Role kRole = specs::Role::k{role};
  static constexpr specs::Kind kKind = specs::Kind::k{kind};
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::k{layer_class};
  static constexpr bool kIsWork = {work};
  static constexpr bool kBlocking = {blocking};
  static constexpr bool kAutotune = {autotune};
  static constexpr int kCounterIndex = {counter};
{pack}{hook}}};
"""

_HOOK = """\
  static void Before({parameters}) {{
    CallBefore<hooks::{name}>({arguments});
  }}
  static void After({result_and_parameters}) {{
    CallAfter<hooks::{name}>({result_and_arguments});
  }}
  static specs::LayerClass LayerClassOf({parameters}) {{
    return CallLayerClass<hooks::{name}>({class_and_arguments});
  }}
"""

_PACK = """\
  static constexpr int kPayloadBytes = {size};
  static void Pack([[maybe_unused]] uint8_t* payload,
                   [[maybe_unused]] bool succeeded{parameters}) {{
{stores}  }}
"""

_WRAPPERS = """\
{heading}#include "tap_traits_{library}.h"

#define DLTAP_WRAPPER extern "C" [[gnu::visibility("default")]]
#define DLTAP_RECORDED extern "C" [[gnu::visibility("hidden"), gnu::used]]

namespace {{

namespace abi = dltap::shim::abi;
using dltap::shim::Counted;
using dltap::shim::Followed;
using dltap::shim::Traced;
using dltap::specs::EntryPoint;

}}  // namespace

{wrappers}
#undef DLTAP_RECORDED
#undef DLTAP_WRAPPER
"""

_WRAPPER = """\
DLTAP_WRAPPER {result} {symbol}({parameters}) {{
  return {template}<EntryPoint::{identifier}>({arguments});
}}
"""

# The exported symbol is a gate (shim/tap/entry/gate.h) that leads here.
_RECORDED = """\
DLTAP_RECORDED {result} dltap_recorded_{symbol}({parameters}) {{
  return Traced<EntryPoint::{identifier}>({arguments});
}}
{gate}({symbol}, {counter})
"""

_TEMPLATES = {"record": "Traced", "count": "Counted", "state": "Followed"}


def emit(catalog: Catalog, out: text.Output) -> None:
    out.add("abi_structs.h", text.header("abi_structs.h", _structs(catalog)))
    for library, spec in catalog.specs.items():
        if not spec.has_wrappers:
            continue
        points = [_with_older(p) for p in catalog.of(library) if p.is_wrapped]
        traits = "\n".join(_trait(p) for p in points)
        file = f"tap_traits_{library}.h"
        out.add(file, text.header(file, _TRAITS.format(
            traits=traits,
            hooks="\n".join(f'#include "{header}"'
                            for header in spec.hooks_headers))))
        _emit_wrappers(library, spec.wrapper_files, points, out)


# Arguments that are passed in registers, whether the caller filled them or not
# (System V ABI, x86-64, 3.2.3).
_REGISTERS = 6
_REGISTER = model.Type("void *", model.Scalar("pointer", 8, 8), None, None)


def _with_older(point: EntryPoint) -> EntryPoint:
    """Hands on all arguments that an older version of the function took."""
    known = point.function.parameters
    count = point.entry.get("older_arguments")
    if count is None:
        return point
    if not len(known) <= count <= _REGISTERS or any(
            p.type.struct for p in known):
        raise model.SpecError(
            f"{point.entry.where}: older_arguments {count}: at most "
            f"{_REGISTERS}, in registers, and no fewer than today's")
    older = tuple(model.Parameter(f"older_{i}", _REGISTER)
                  for i in range(len(known), count))
    return dataclasses.replace(point, function=dataclasses.replace(
        point.function, parameters=known + older))


def _emit_wrappers(library: str, parts: int, points: list[EntryPoint],
                   out: text.Output) -> None:
    for part, name in enumerate(wrapper_files(library, parts)):
        begin, end = (len(points) * i // parts for i in (part, part + 1))
        out.add(name, _WRAPPERS.format(
            heading=text.HEADING, library=library,
            wrappers="\n".join(_wrapper(p) for p in points[begin:end])))


def wrapper_files(library: str, parts: int) -> list[str]:
    return [f"tap_wrappers_{library}{f'_{i}' if i else ''}.cc"
            for i in range(parts)]


def abi_type(type_: model.Type) -> str:
    if type_.struct:
        return f"abi::{type_.struct.name}"
    return type_.scalar.abi if type_.scalar else "void"


def abi_types(function: model.Function) -> str:
    return ", ".join(abi_type(p.type) for p in function.parameters)


def _structs(catalog: Catalog) -> str:
    found: dict[str, model.Struct] = {}
    for point in catalog.wrapped:
        types = [p.type for p in point.function.parameters]
        for type_ in (*types, point.function.result):
            if type_.struct:
                found.setdefault(type_.struct.name, type_.struct)
    structs = []
    for name, struct in sorted(found.items()):
        body = "".join(f"  {line}\n" for line in struct.declaration.split("\n"))
        structs.append(f"struct alignas({struct.align}) {name} {{\n{body}}};\n"
                       f"static_assert(sizeof({name}) == {struct.size});\n")
    return _STRUCTS.format(structs="\n".join(structs))


def _trait(point: EntryPoint) -> str:
    entry, function = point.entry, point.function
    return _TRAIT.format(
        identifier=function.identifier, result=abi_type(function.result),
        types=abi_types(function), has_hook=text.boolean(entry.get("hook")),
        library=text.camel(point.library), role=text.camel(point.role),
        kind=text.camel(entry.kind), work=text.boolean(entry.is_work),
        blocking=text.boolean(entry.get("blocking")),
        autotune=text.boolean(entry.get("autotune")),
        layer_class=text.camel(entry.get("class") or "unattributed"),
        counter=point.counter_index, pack=_pack(point), hook=_hook(point))


def _hook(point: EntryPoint) -> str:
    """Static functions that hand the selected arguments to a hook."""
    entry, function = point.entry, point.function
    if not entry.get("hook"):
        return ""
    selected = entry.get("hook_args", [])
    parameters = ", ".join(
        f"{abi_type(p.type)} {_local(p, p.name in selected)}"
        for p in function.parameters)
    arguments = ", ".join(f"{name}_" for name in selected)
    result = "" if function.result.is_void else \
        f"{abi_type(function.result)} result"
    return _HOOK.format(
        name=entry.get("hook"), parameters=parameters, arguments=arguments,
        result_and_parameters=", ".join(t for t in (result, parameters) if t),
        result_and_arguments=", ".join(
            t for t in ("result" if result else "", arguments) if t),
        class_and_arguments=", ".join(
            t for t in ("kLayerClass", arguments) if t))


def _pack(point: EntryPoint) -> str:
    if point.layout is None:
        return ""
    used = {name for f in point.layout.fields
            for name in (f.source.parameter, f.source.count)}
    packed = [f for f in point.layout.fields if f.source.access == "packed"]
    if packed:
        used |= set(point.entry.get("hook_args", []))
    parameters = "".join(
        f",\n                   {abi_type(p.type)} {_local(p, p.name in used)}"
        for p in point.function.parameters)
    stores = "".join(_store(f) for f in point.layout.fields
                     if f.source.access != "packed")
    if packed:
        selected = "".join(f", {name}_"
                           for name in point.entry.get("hook_args", []))
        offset, size = packed_range(point.layout.fields)
        stores += (f"    CallPack<hooks::{point.entry.get('hook')}, {size}>("
                   f"payload + {offset}, succeeded{selected});\n")
    return _PACK.format(size=point.layout.payload_bytes,
                        parameters=parameters, stores=stores)


def _local(parameter: model.Parameter, used: bool) -> str:
    """No argument may shadow a macro or keyword: a trailing underscore."""
    return f"{parameter.name}_" if used else f"/*{parameter.name}*/"


_STORED = {1: "int8_t", 2: "int16_t", 4: "int32_t", 8: "int64_t"}


def _store(field: Field) -> str:
    source, name = field.source, f"{field.source.parameter}_"
    target = (f"    specs::Store<{_STORED[field.width]}>"
              f"(payload + {field.offset}")
    if source.access == "value":
        return f"{target}, {name});\n"
    if source.access == "member":
        return f"{target}, {name}.{source.member.path});\n"
    if source.access == "out":
        there_is = f" && {source.count}_ > 0" if source.count else ""
        return (f"    specs::CopyIf<{field.width}>(payload + {field.offset}, "
                f"succeeded{there_is} ? {name} : nullptr, 0);\n")
    return (f"    specs::CopyIf<{field.width}>(payload + {field.offset}, "
            f"{name}, {source.member.offset});\n")


def _wrapper(point: EntryPoint) -> str:
    function = point.function
    parameters = ", ".join(f"{abi_type(p.type)} {p.name}_"
                           for p in function.parameters)
    if point.role == "record":
        gate = ("DLTAP_GATE_WITH_HOOK" if point.entry.hook_sees_all
                else "DLTAP_GATE")
        return _RECORDED.format(
            result=abi_type(function.result), symbol=point.symbol,
            parameters=parameters, identifier=function.identifier,
            arguments=", ".join(f"{p.name}_" for p in function.parameters),
            gate=gate, counter=point.counter_index)
    return _WRAPPER.format(
        result=abi_type(function.result), symbol=point.symbol,
        parameters=parameters, template=_TEMPLATES[point.role],
        identifier=function.identifier,
        arguments=", ".join(f"{p.name}_" for p in function.parameters))
