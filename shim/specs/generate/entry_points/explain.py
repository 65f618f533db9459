# SPDX-License-Identifier: Apache-2.0
"""What the specs say of one function, for people."""

from __future__ import annotations

from entry_points.catalog import Catalog, EntryPoint
from entry_points.model import SpecError


def text_of(catalog: Catalog, symbol: str) -> str:
    point = next((p for p in catalog.points if p.symbol == symbol), None)
    if point is None:
        raise SpecError(f"{symbol}: no header declares it; names are raw, "
                        f"as exported (cuMemAlloc_v2, cublasSgemm_v2)")
    lines = [_prototype(point)]
    if point.entry is None:
        return f"{lines[0]}\nno spec mentions it\n"
    lines.append(point.entry.where)
    lines += [f"  {key} = {_value(value)}"
              for key, value in point.entry.values.items() if value]
    if point.layout:
        lines.append(f"record: {point.layout.payload_bytes} bytes, "
                     f"{_slots(point.layout.payload_bytes)} slots")
        lines += [f"  {f.offset:>4} +{f.width}  {f.kind:<8} {f.name}"
                  for f in point.layout.fields]
        if point.layout.dropped:
            lines.append(f"  no room: {', '.join(point.layout.dropped)}")
    return "\n".join(lines) + "\n"


def _prototype(point: EntryPoint) -> str:
    function = point.function
    arguments = ", ".join(f"{p.type.spelling} {p.name}"
                          for p in function.parameters)
    return f"{function.result.spelling} {point.symbol}({arguments})"


def _value(value) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{k}: {_value(v)}" for k, v in value.items())
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _slots(payload_bytes: int) -> int:
    """Sixteen payload bytes lie in the first slot, 32 in each other."""
    return 1 + (max(payload_bytes - 16, 0) + 31) // 32
