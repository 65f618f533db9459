# SPDX-License-Identifier: Apache-2.0
"""entry_point_table.cc: what each function means, for the analyzer."""

from __future__ import annotations

import re

from entry_points import model, payload, text
from entry_points.catalog import Catalog, EntryPoint
from entry_points.vocabulary import (
    LETTER_TYPES, ROUTES, VOCABULARY, meaning_enumerator)

_TABLE = """\
{heading}#include <algorithm>
#include <iterator>

#include "shim/specs/entry_point.h"

namespace dltap::specs {{
namespace {{

{arrays}
constexpr EntryPointInfo kTable[] = {{
{rows}}};

// Indices into kTable, sorted by symbol.
constexpr uint16_t kBySymbol[] = {{
{order}}};

}}  // namespace

std::span<const EntryPointInfo> AllEntryPoints() {{ return kTable; }}

const EntryPointInfo* FindEntryPoint(std::string_view symbol) {{
  const auto* found = std::ranges::lower_bound(
      kBySymbol, symbol, {{}}, [](uint16_t i) {{ return kTable[i].symbol; }});
  if (found == std::end(kBySymbol) || kTable[*found].symbol != symbol) {{
    return nullptr;
  }}
  return &kTable[*found];
}}

}}  // namespace dltap::specs
"""

_ROW = """\
    {{.symbol = {symbol},
     .library = Library::k{library},
     .role = Role::k{role},
     .kind = Kind::k{kind},
     .op_kind = OpKind::{op_kind},
     .layer_class = {layer_class},
     .direction = Direction::k{direction},
     .reason = {reason},
     .arguments = {arguments},
     .routes = {routes},
     .blocking = {blocking},
     .autotune = {autotune}}},
"""

# The first type of cublasScasum is the complex one: c.
# cuSOLVER's refining solvers have the type of the system first: cusolverDnSHgesv.
_LETTER = re.compile(r"(?:cublas(?:I|S(?=c[an])|D(?=z[an]))?|cusolverDn)"
                     r"([SDCZHTsdcz])")


class _Arrays:
    """Constant arrays of the table, equal ones shared."""

    def __init__(self):
        self._names: dict[tuple[str, str], str] = {}

    def add(self, type_: str, elements: list[str]) -> str:
        if not elements:
            return "{}"
        key = (type_, ", ".join(elements))
        return self._names.setdefault(key, f"kArray{len(self._names)}")

    def declarations(self) -> str:
        return "".join(f"constexpr {type_} {name}[] = {{{elements}}};\n"
                       for (type_, elements), name in self._names.items())


def emit(catalog: Catalog, out: text.Output) -> None:
    arrays = _Arrays()
    rows = "".join(_row(p, arrays) for p in catalog.points)
    order = sorted(range(len(catalog.points)),
                   key=lambda i: catalog.points[i].symbol.encode())
    out.add("entry_point_table.cc", _TABLE.format(
        heading=text.HEADING, arrays=arrays.declarations(), rows=rows,
        order=text.rows(order)))


def _row(point: EntryPoint, arrays: _Arrays) -> str:
    values = point.entry.values if point.entry else {}
    layer_class = values.get("class")
    return _ROW.format(
        symbol=text.quoted(point.symbol), library=text.camel(point.library),
        role=text.camel(point.role),
        kind=text.camel(point.entry.kind if point.entry else "other"),
        op_kind=_enumerator_of_op_kind(values.get("op_kind", "unknown")),
        layer_class=f"LayerClass::k{text.camel(layer_class)}"
        if layer_class else "std::nullopt",
        direction=text.camel(values.get("direction", "none")),
        reason=text.quoted(values.get("reason", "")),
        arguments=arrays.add("ArgumentMeaning", _arguments(point)),
        routes=sum(1 << ROUTES.index(r) for r in values.get("routes", [])),
        blocking=text.boolean(values.get("blocking")),
        autotune=text.boolean(values.get("autotune")))


def _enumerator_of_op_kind(name: str) -> str:
    return next(word.enumerator for word in VOCABULARY.lists["op_kind"]
                if word.name == name)


def _arguments(point: EntryPoint) -> list[str]:
    if point.entry is None:
        return []
    packed = [(name, name.rpartition(".")[2]) for name in point.entry.get("packed", {})]
    return [f"{{Meaning::{meaning_enumerator(meaning)}, {text.quoted(factor)}}}"
            for meaning, expression in payload.meanings(point.entry) + packed
            for factor in _factors(point, expression)]


def _factors(point: EntryPoint, expression: str) -> list[str]:
    return [f.strip() for f in _resolved(point, expression).split("*")]


def _resolved(point: EntryPoint, argument: str) -> str:
    """"@letter" becomes the type that a BLAS name says."""
    if argument != "@letter":
        return argument
    match = _LETTER.match(point.symbol)
    letter = match[1].upper() if match else ""
    if letter not in LETTER_TYPES:
        raise model.SpecError(f"{point.entry.where}: {point.symbol} has no "
                              f"type letter for \"@letter\"")
    return f"={LETTER_TYPES[letter]}"
