# SPDX-License-Identifier: Apache-2.0
"""entry_points.inc and entry_points.h: the numbered list of all functions."""

from __future__ import annotations

from entry_points import text
from entry_points.catalog import Catalog

_ENUM = """\
#include <cstdint>

namespace dltap::specs {{

// Every function that a vendor header declares. Values change when headers or
// specs do: never write one to a file without its name.
enum class EntryPoint : uint16_t {{
{enumerators}}};

inline constexpr int kEntryPointCount = {count};
// Functions that the tap wraps; each has a dense counter index.
inline constexpr int kCounterCount = {counters};

}}  // namespace dltap::specs
"""

_INC = """\
{heading}// DLTAP_ENTRY_POINT(index, symbol, identifier, library, role)
{rows}"""


def emit(catalog: Catalog, out: text.Output) -> None:
    rows = "".join(
        f"DLTAP_ENTRY_POINT({p.index}, {p.symbol}, {p.function.identifier}, "
        f"k{text.camel(p.library)}, k{text.camel(p.role)})\n"
        for p in catalog.points)
    out.add("entry_points.inc", _INC.format(heading=text.HEADING, rows=rows))
    enumerators = "".join(f"  {p.function.identifier} = {p.index},\n"
                          for p in catalog.points)
    out.add("entry_points.h", text.header("entry_points.h", _ENUM.format(
        enumerators=enumerators, count=len(catalog.points),
        counters=len(catalog.wrapped))))
