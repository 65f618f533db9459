# SPDX-License-Identifier: Apache-2.0
"""Which arguments a record keeps, and at which bytes of its payload."""

from __future__ import annotations

import dataclasses

from entry_points import model
from entry_points.spec import Entry
from entry_points.vocabulary import (
    MEANING_KEYS, MEANING_TABLES, PACKED_TYPES)

# Sixteen bytes in the first slot, 32 in each of three more.
MAX_PAYLOAD_BYTES = 112


@dataclasses.dataclass(frozen=True)
class Source:
    """Where the value of a field comes from."""

    parameter: str
    access: str  # value | member | deref | out | packed (by a hook)
    member: model.Member | None = None  # member, deref
    count: str = ""  # out: the argument that tells how many there are


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    kind: str
    width: int
    source: Source
    meaning: str = ""  # "dims.m", "stream"
    offset: int = 0
    is_kept: bool = False  # without a meaning, too


@dataclasses.dataclass(frozen=True)
class Layout:
    fields: tuple[Field, ...]
    dropped: tuple[str, ...]  # scalars without a meaning that found no room

    @property
    def payload_bytes(self) -> int:
        return max((f.offset + f.width for f in self.fields), default=0)


def layout_of(entry: Entry, function: model.Function) -> Layout:
    """The layout of a `record` function; raises SpecError on unknown names."""
    _check_parameters(entry, function)
    fields = list(_candidates(entry, function))
    _check_meanings(entry, function, {f.name for f in fields})
    dropped = []
    while sum(f.width for f in fields) > MAX_PAYLOAD_BYTES:
        spare = [f for f in fields if not f.meaning and not f.is_kept]
        if not spare:
            raise model.SpecError(
                f"{entry.where}: {function.symbol}: arguments with a meaning "
                f"need more than {MAX_PAYLOAD_BYTES} bytes; use omit")
        dropped.append(spare[-1].name)
        fields.remove(spare[-1])
    placed = _placed(fields)
    _check_packed(entry, function, placed)
    return Layout(placed, tuple(dropped))


def packed_range(fields: tuple[Field, ...]) -> tuple[int, int]:
    """The offset of the fields that a hook packs, and their bytes."""
    packed = [f for f in fields if f.source.access == "packed"]
    begin = min((f.offset for f in packed), default=0)
    end = max((f.offset + f.width for f in packed), default=0)
    return begin, end - begin


def _check_packed(entry: Entry, function: model.Function,
                  fields: tuple[Field, ...]) -> None:
    """A hook gets one address for all that it packs."""
    _, size = packed_range(fields)
    if size != sum(f.width for f in fields if f.source.access == "packed"):
        raise model.SpecError(
            f"{entry.where}: {function.symbol}: an argument lies between the "
            f"packed fields, which are sorted by width; use omit")


def _placed(fields: list[Field]) -> tuple[Field, ...]:
    """Widest first: every field is aligned and no byte is padding."""
    offset, placed = 0, []
    for field in sorted(fields, key=lambda f: -f.width):
        placed.append(dataclasses.replace(field, offset=offset))
        offset += field.width
    return tuple(placed)


def meanings(entry: Entry) -> list[tuple[str, str]]:
    """(key, argument expression) of everything the entry gives a meaning."""
    result = [(key, entry.get(key)) for key in MEANING_KEYS if entry.get(key)]
    for key in MEANING_TABLES:
        result += [(f"{key}.{meaning}", argument)
                   for meaning, argument in entry.get(key, {}).items()]
    return result


def factors(expression: str) -> list[str]:
    """The arguments of "width*height*=2"; none of a constant ("=f32")."""
    return [part.strip() for part in expression.split("*")
            if not part.strip().startswith(("=", "@"))]


def _meaning_of_each(entry: Entry) -> dict[str, str]:
    """Argument -> meaning: a trace has room for one."""
    found: dict[str, str] = {}
    for meaning, expression in meanings(entry):
        for name in factors(expression):
            if found.setdefault(name, meaning) != meaning:
                raise model.SpecError(
                    f"{entry.where}: '{name}' is both {found[name]} and "
                    f"{meaning}; an argument has one meaning")
    return found


def _check_parameters(entry: Entry, function: model.Function) -> None:
    counts = entry.get("counts", {})
    named = {key: entry.get(key, []) for key in
             ("omit", "out", "handles", "deref", "hook_args")}
    for key, names in {**named, "counts": [*counts, *counts.values()]}.items():
        for name in names:
            if function.parameter(name) is None:
                raise model.SpecError(
                    f"{entry.where}: {key}: {function.symbol} has no argument "
                    f"'{name}' (it has {_names(function)})")


def _check_meanings(entry: Entry, function: model.Function,
                    recorded: set[str]) -> None:
    for key, expression in meanings(entry):
        for name in factors(expression):
            if name not in recorded:
                raise model.SpecError(
                    f"{entry.where}: {key}: {function.symbol} records no "
                    f"argument '{name}' (it records "
                    f"{', '.join(sorted(recorded))})")


def check_names(entry: Entry, function: model.Function) -> None:
    """For functions that keep no payload: every named argument must exist."""
    _check_parameters(entry, function)
    _check_meanings(entry, function, {p.name for p in function.parameters})


def _names(function: model.Function) -> str:
    return ", ".join(p.name for p in function.parameters) or "none"


def _candidates(entry: Entry, function: model.Function):
    meaningful = _meaning_of_each(entry)
    handles = {*entry.get("handles", []), entry.get("kernel")}
    for parameter in function.parameters:
        name, kind = parameter.name, parameter.type
        if name in entry.get("omit", []) or (
                name in entry.get("spare", []) and name not in meaningful):
            continue
        if kind.struct:
            yield from _members(parameter, "member", kind.struct.members,
                                meaningful)
        elif name in entry.get("deref", {}):
            yield from _members(parameter, "deref",
                                _selected(entry, function, parameter),
                                meaningful)
        elif name in entry.get("out", []):
            yield _output(entry, function, parameter, meaningful)
        elif kind.scalar.kind != "pointer" or name in {*meaningful, *handles}:
            scalar = kind.scalar
            yield Field(name, "handle" if name in handles else scalar.kind,
                        scalar.recorded_width, Source(name, "value"),
                        meaningful.get(name, ""), is_kept=name in handles)
    for name, type_ in entry.get("packed", {}).items():
        kind, width = PACKED_TYPES[type_]
        yield Field(name.rpartition(".")[2], kind, width,
                    Source("", "packed"), name)


def _members(parameter: model.Parameter, access: str, members, meaningful):
    for member in members:
        name = f"{parameter.name}.{member.path}"
        yield Field(name, member.scalar.kind, member.scalar.recorded_width,
                    Source(parameter.name, access, member),
                    meaningful.get(name, ""))


def _selected(entry: Entry, function: model.Function,
              parameter: model.Parameter) -> list[model.Member]:
    where = f"{entry.where}: deref.{parameter.name}: {function.symbol}"
    pointee = parameter.type.pointee
    if pointee is None or pointee.kind != "struct":
        raise model.SpecError(f"{where}: no pointer to a complete structure")
    by_path = {m.path: m for m in pointee.members}
    chosen = []
    for path in entry.get("deref")[parameter.name]:
        if path not in by_path:
            raise model.SpecError(
                f"{where}: no scalar member '{path}' in {pointee.spelling}")
        chosen.append(by_path[path])
    return chosen


def _output(entry: Entry, function: model.Function,
            parameter: model.Parameter, meaningful: dict[str, str]) -> Field:
    pointee = parameter.type.pointee
    if pointee is None or pointee.const or pointee.scalar is None:
        raise model.SpecError(
            f"{entry.where}: out: {function.symbol}: '{parameter.name}' is no "
            f"pointer to a scalar that the function writes")
    return Field(parameter.name, pointee.scalar.kind,
                 pointee.scalar.recorded_width,
                 Source(parameter.name, "out",
                        count=entry.get("counts", {}).get(parameter.name, "")),
                 meaningful.get(parameter.name, ""))
