# SPDX-License-Identifier: Apache-2.0
"""Structures of two sets of headers, compared by layout."""

from __future__ import annotations

import dataclasses
import re

from clang import cindex

from entry_points import headers, model
from entry_points.cuda12 import Field, Struct

# What a structure's layout is: size and (path, offset, bytes, type) of all
# fields, nested ones by path.
Records = dict[str, Struct]

_RECORDS = (cindex.CursorKind.STRUCT_DECL, cindex.CursorKind.UNION_DECL)


def of_units(reader: headers.HeaderReader,
             units: tuple[model.Unit, ...]) -> Records:
    """Every complete structure or union with a name."""
    found: Records = {}
    for unit in units:
        _collect(reader.parse(unit, "layouts").cursor, reader, found)
    return found


def _collect(cursor, reader: headers.HeaderReader, found: Records) -> None:
    for child in cursor.get_children():
        if child.kind in (cindex.CursorKind.LINKAGE_SPEC,
                          cindex.CursorKind.UNEXPOSED_DECL):
            _collect(child, reader, found)
        elif child.kind in _RECORDS and reader.is_vendors(child):
            record, name = child.type, child.spelling
            if record.get_size() > 0 and name and "(" not in name:
                found.setdefault(name, Struct(
                    name, record.get_size(), 0,
                    tuple(_fields(record.get_canonical()))))


def _fields(record, prefix: str = "", base: int = 0):
    for field in record.get_fields():
        canonical = field.type.get_canonical()
        offset = base + field.get_field_offsetof() // 8
        # Members of an unnamed union are members of what surrounds it.
        unnamed = not field.spelling or "(" in field.spelling
        path = prefix if unnamed else prefix + field.spelling
        if canonical.kind == cindex.TypeKind.RECORD:
            yield from _fields(canonical, path if unnamed else f"{path}.",
                               offset)
        else:
            yield Field(path, offset, canonical.get_size(), _name(canonical))


def _name(canonical) -> str:
    suffix = ""
    while canonical.kind == cindex.TypeKind.CONSTANTARRAY:
        suffix += f"[{canonical.element_count}]"
        canonical = canonical.element_type.get_canonical()
    if canonical.kind == cindex.TypeKind.RECORD:
        return f"bytes<{canonical.get_size()}>{suffix}"
    scalar = headers.scalar_of(canonical)
    return (scalar.abi if scalar else "?") + suffix


def _is_filling(field: Field) -> bool:
    return field.path.split(".")[-1].startswith(("reserved", "pad"))


def differing(old: Records, new: Records) -> Records:
    """Those of `old` with fields elsewhere, of another size or gone. Growth by
    reserved fields at the end counts: who writes all of it writes too far."""
    found = {}
    for name, struct in old.items():
        twin = new.get(name)
        if twin is None:
            continue
        places = {(f.path, f.size): f.offset for f in twin.fields}
        fields = tuple(dataclasses.replace(
            f, new_offset=places.get((f.path, f.size)))
            for f in struct.fields)
        if struct.size != twin.size or any(
                f.offset != f.new_offset for f in fields
                if not _is_filling(f)):
            found[name] = Struct(name, struct.size, twin.size, fields)
    return found


def touches(function: model.Function, changed: Records) -> bool:
    """Whether an argument leads to a changed structure."""
    spellings = [p.type.spelling for p in function.parameters]
    words = {w for s in spellings for w in re.findall(r"\w+", s)}
    return any(name in words or name.removesuffix("_st") in words
               for name in changed)
