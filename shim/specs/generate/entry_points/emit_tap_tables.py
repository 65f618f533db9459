# SPDX-License-Identifier: Apache-2.0
"""Tables of libdltap.so (layouts, names, dlsym filter) and its export list."""

from __future__ import annotations

from entry_points import text
from entry_points.catalog import Catalog
from entry_points.emit_tap import abi_type, abi_types
from entry_points.vocabulary import (
    LIBRARIES, LIBRARY_NUMBERS, ROLE_NUMBERS, meaning_enumerator)

_TABLES_H = """\
#include <cstdint>

#include "entry_points.h"
#include "shim/specs/arg_layout.h"
#include "vocabulary.h"

namespace dltap::specs {

// Constant data without relocations.

const ArgLayout& LayoutOf(EntryPoint entry);  // empty unless role record
const ArgField* FieldsOf(const ArgLayout& layout);
const char* NameOf(const ArgField& field);
const char* SymbolOf(EntryPoint entry);
Library LibraryOf(EntryPoint entry);
Role RoleOf(EntryPoint entry);
// The wrapped function with that counter index.
EntryPoint OfCounter(int counter_index);
// -1: not wrapped.
int CounterOf(EntryPoint entry);
// First characters of the SONAME that defines the real function:
// "libcublas.so". Empty: the library is never loaded as such.
const char* SonamePrefix(Library library);

// The wrapped function of that name; -1: there is none. For the dlsym filter:
// no allocation, no lock, usable before constructors.
int FindWrapped(const char* name);
void* WrapperAddress(EntryPoint entry);  // nullptr: not wrapped

}  // namespace dltap::specs
"""

_TABLES_CC = """\
{heading}#include "tap_tables.h"

#include "shim/specs/name_table.h"

// Distances, not addresses: a table of 2,000 pointers would be relocated, page
// by page, in every process that preloads us.
extern "C" {{
[[gnu::visibility("hidden")]] extern const int32_t dltap_wrapper_distances[];
}}
__asm__(
    ".pushsection .rodata.dltap_wrapper_distances, \\"a\\"\\n"
    ".balign 4\\n"
    ".hidden dltap_wrapper_distances\\n"
    ".globl dltap_wrapper_distances\\n"
    "dltap_wrapper_distances:\\n"
{wrappers}    ".popsection\\n");

namespace dltap::specs {{
namespace {{

constexpr char kStrings[] =
{strings};

constexpr uint32_t kSymbolOffsets[] = {{
{symbols}}};

constexpr ArgField kFields[] = {{
{fields}}};

constexpr ArgLayout kLayouts[] = {{
{layouts}}};

constexpr uint8_t kLibraries[] = {{
{libraries}}};

constexpr uint8_t kRoles[] = {{
{roles}}};

constexpr uint16_t kOfCounter[] = {{
{counters}}};

constexpr int16_t kCounterOf[] = {{
{counter_of}}};

constexpr uint16_t kSonamePrefixes[] = {{
{sonames}}};

// Slots hold counter indices.
constexpr uint16_t kWrappedSlots[] = {{
{slots}}};

}}  // namespace

const ArgLayout& LayoutOf(EntryPoint entry) {{
  return kLayouts[static_cast<int>(entry)];
}}

const ArgField* FieldsOf(const ArgLayout& layout) {{
  return kFields + layout.first_field;
}}

const char* NameOf(const ArgField& field) {{ return kStrings + field.name; }}

const char* SymbolOf(EntryPoint entry) {{
  return kStrings + kSymbolOffsets[static_cast<int>(entry)];
}}

Library LibraryOf(EntryPoint entry) {{
  return static_cast<Library>(kLibraries[static_cast<int>(entry)]);
}}

Role RoleOf(EntryPoint entry) {{
  return static_cast<Role>(kRoles[static_cast<int>(entry)]);
}}

EntryPoint OfCounter(int counter_index) {{
  return static_cast<EntryPoint>(kOfCounter[counter_index]);
}}

const char* SonamePrefix(Library library) {{
  return kStrings + kSonamePrefixes[static_cast<int>(library)];
}}

int FindWrapped(const char* name) {{
  const int counter = FindName(kWrappedSlots, name, [](uint16_t value) {{
    return kStrings + kSymbolOffsets[kOfCounter[value]];
  }});
  return counter < 0 ? -1 : kOfCounter[counter];
}}

int CounterOf(EntryPoint entry) {{
  return kCounterOf[static_cast<int>(entry)];
}}

void* WrapperAddress(EntryPoint entry) {{
  const int counter = CounterOf(entry);
  if (counter < 0) return nullptr;
  const auto base = reinterpret_cast<uintptr_t>(dltap_wrapper_distances);
  return reinterpret_cast<void*>(base + dltap_wrapper_distances[counter]);
}}

}}  // namespace dltap::specs
"""

_LDS = """\
/* GENERATED from shim/specs/*.toml and the vendor headers by
   gen_entry_points.py. DO NOT EDIT.
   Anonymous: a named node would never satisfy the versioned references of
   applications (cudnnCreate@libcudnn.so.9). */
{{
  global:
{symbols}  local:
    *;
}};
"""


def emit(catalog: Catalog, extra_exports: list[str], out: text.Output) -> None:
    out.add("tap_tables.h", text.header("tap_tables.h", _TABLES_H))
    out.add("tap_tables.cc", _tables(catalog))
    exported = [p.symbol for p in catalog.points if p.is_exported]
    out.add("libdltap.lds", _LDS.format(symbols="".join(
        f"    {s};\n" for s in sorted(exported) + sorted(extra_exports))))


def _tables(catalog: Catalog) -> str:
    pool = text.StringPool()
    pool.add("")
    fields, layouts = _layouts(catalog, pool)
    prefixes = [0] + [pool.add(catalog.specs[l].soname_prefix)
                      if l in catalog.specs else 0 for l in LIBRARIES]
    symbols = [pool.add(p.symbol) for p in catalog.points]
    wrapped = catalog.wrapped
    slots = text.hash_table([(p.counter_index, p.symbol) for p in wrapped])
    return _TABLES_CC.format(
        heading=text.HEADING, strings=pool.literal().rstrip("\n"),
        symbols=text.rows(symbols), fields=fields, layouts=layouts,
        libraries=text.rows([LIBRARY_NUMBERS[p.library]
                             for p in catalog.points], 20),
        roles=text.rows([ROLE_NUMBERS[p.role] for p in catalog.points], 20),
        counters=text.rows([p.index for p in wrapped]),
        counter_of=text.rows([p.counter_index if p.is_wrapped else -1
                              for p in catalog.points]),
        sonames=text.rows(prefixes), slots=text.rows(slots),
        wrappers="".join(
            f'    ".long {p.symbol} - dltap_wrapper_distances\\n"\n'
            for p in wrapped))


def _layouts(catalog: Catalog, pool: text.StringPool) -> tuple[str, str]:
    """One row per distinct field list; families share theirs."""
    first: dict[tuple, int] = {}
    rows, layouts, count = [], [], 0
    for point in catalog.points:
        fields = tuple(
            (pool.add(f.name), f.offset, f.width,
             f"ArgKind::k{text.camel(f.kind)}",
             f"Meaning::{meaning_enumerator(f.meaning or 'none')}")
            for f in point.layout.fields) if point.layout else ()
        if fields not in first:
            first[fields] = count
            count += len(fields)
            rows += [f"    {{{', '.join(map(str, field))}}},\n"
                     for field in fields]
        size = point.layout.payload_bytes if point.layout else 0
        layouts.append(f"{{{first[fields]}, {len(fields)}, {size}}}")
    return "".join(rows), text.rows(layouts, 5)


_CHECK = """\
{heading}// Compiles only if every wrapper has the ABI of the real prototype.
#include "tap_traits_{library}.h"

{defines}{includes}
#include <cstddef>

#include "shim/specs/abi_check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {{

namespace abi = dltap::shim::abi;
using dltap::specs::SameAbi;

{checks}
}}  // namespace
"""


def emit_checks(catalog: Catalog, out: text.Output) -> None:
    """One file per header unit: some headers exclude each other."""
    for library, spec in catalog.specs.items():
        for number, unit in enumerate(spec.units if spec.has_wrappers else ()):
            points = [p for p in catalog.of(library)
                      if p.is_wrapped and p.function.unit == number]
            out.add(check_file(library, number), _CHECK.format(
                heading=text.HEADING, library=library,
                defines="".join(f"#define {d.replace('=', ' ')}\n"
                                for d in unit.defines),
                includes="".join(f"#include <{h}>\n" for h in unit.all_includes),
                checks="\n".join(_check(p) for p in points)))


def check_file(library: str, unit: int) -> str:
    suffix = f"_{unit}" if unit else ""
    return f"tap_prototype_check_{library}{suffix}.cc"


def _check(point) -> str:
    function = point.function
    # The cast picks the C function where a header also has C++ overloads.
    real = ", ".join(p.type.spelling for p in function.parameters)
    lines = [f"static_assert(SameAbi<decltype(static_cast<\n"
             f"    {function.result.spelling} (*)({real})>"
             f"(&::{point.symbol})),\n"
             f"    {abi_type(function.result)} (*)({abi_types(function)})>);\n"]
    fields = point.layout.fields if point.layout else ()
    for field in fields:
        if field.source.access != "deref":
            continue
        pointee = function.parameter(field.source.parameter).type.pointee
        type_ = pointee.spelling.replace("const ", "")
        lines.append(f"static_assert(offsetof({type_}, "
                     f"{field.source.member.path}) == "
                     f"{field.source.member.offset});\n")
    return "".join(lines)
