# SPDX-License-Identifier: Apache-2.0
"""Joins functions and specs into the one numbered list that is generated."""

from __future__ import annotations

import dataclasses
import sys

from entry_points import model, payload
from entry_points.spec import Entry, LibrarySpec
from entry_points.vocabulary import LIBRARIES


@dataclasses.dataclass(frozen=True)
class EntryPoint:
    index: int
    library: str
    function: model.Function
    entry: Entry | None  # None: no spec mentions it
    layout: payload.Layout | None  # of role record
    counter_index: int | None  # dense over all wrapped functions

    @property
    def symbol(self) -> str:
        return self.function.symbol

    @property
    def role(self) -> str:
        return self.entry.role if self.entry else "unknown"

    @property
    def is_wrapped(self) -> bool:
        return self.entry is not None and self.entry.is_wrapped

    @property
    def is_exported(self) -> bool:
        return self.is_wrapped and self.entry.get("export", True)


@dataclasses.dataclass(frozen=True)
class Catalog:
    specs: dict[str, LibrarySpec]
    points: tuple[EntryPoint, ...]

    def of(self, library: str) -> list[EntryPoint]:
        return [p for p in self.points if p.library == library]

    @property
    def wrapped(self) -> list[EntryPoint]:
        return [p for p in self.points if p.is_wrapped]


def build(specs: dict[str, LibrarySpec],
          functions: dict[str, list[model.Function]],
          other_version: bool) -> Catalog:
    """Sorted by library (the order of vocabulary.toml), then by name."""
    points: list[EntryPoint] = []
    counter = 0
    for library in LIBRARIES:
        spec = specs.get(library)
        for function in functions.get(library, []):
            entry, layout = _described(spec, function, other_version)
            wrapped = entry is not None and entry.is_wrapped
            points.append(EntryPoint(
                index=len(points), library=library, function=function,
                entry=entry, layout=layout,
                counter_index=counter if wrapped else None))
            counter += wrapped
    _reject_twins(points)
    return Catalog(specs, tuple(points))


def _described(spec: LibrarySpec, function: model.Function,
               other_version: bool):
    """A function of other headers that its entry does not fit is unknown: it
    is not wrapped, and the build says so."""
    try:
        entry = spec.described(function)
        return entry, _layout(entry, function)
    except model.SpecError as error:
        if not other_version:
            raise
        print(f"gen_entry_points: warning: {error}: not wrapped",
              file=sys.stderr)
        return None, None


def _layout(entry: Entry | None, function: model.Function):
    if entry is None:
        return None
    if entry.is_wrapped and function.variadic:
        raise model.SpecError(
            f"{entry.where}: {function.symbol} takes variable arguments and "
            f"cannot be wrapped")
    if entry.role == "record":
        return payload.layout_of(entry, function)
    payload.check_names(entry, function)
    return None


def _reject_twins(points: list[EntryPoint]) -> None:
    seen: dict[str, str] = {}
    for point in points:
        for name in (point.symbol, point.function.identifier):
            if seen.setdefault(name, point.library) != point.library:
                raise model.SpecError(
                    f"{name} is declared for both {seen[name]} and "
                    f"{point.library}; narrow [library] symbols")
    identifiers = [p.function.identifier for p in points]
    if len(set(identifiers)) != len(identifiers):
        twin = next(i for i in identifiers if identifiers.count(i) > 1)
        raise model.SpecError(f"two functions have the identifier {twin}")
