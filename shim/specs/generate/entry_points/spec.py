# SPDX-License-Identifier: Apache-2.0
"""Loads the TOML specs and gives each function the entry that describes it."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import pathlib
import tomllib

from entry_points import model
from entry_points.model import Unit
from entry_points.vocabulary import (
    CLASSES, COPY_KINDS, DEFAULT_HOOKS_HEADERS, DEFAULT_ROUTES, DIRECTIONS,
    DTYPES, ENTRY_KEYS, KINDS, LIBRARIES, LIBRARY_KEYS, MEANING_NUMBERS,
    MEANING_TABLES, OP_KINDS, PACKED_TYPES, ROLES, ROUTES, WORK_KINDS)


# Of the key `simulated`: the default body refuses.
UNSUPPORTED = "unsupported"
# Only libraries of that profile have it; written by hand.
CUDA11 = "cuda11"


@dataclasses.dataclass(frozen=True)
class Entry:
    """One table of a spec file."""

    file: str
    pattern: str
    values: dict

    @property
    def where(self) -> str:
        return f"{self.file}: [{self.pattern}]"

    @functools.cached_property
    def is_exact(self) -> bool:
        return not any(c in self.pattern for c in "*?[")

    @functools.cached_property
    def specificity(self) -> int:
        """Literal characters of a glob; a bracket counts as none."""
        count, depth = 0, 0
        for c in self.pattern:
            depth += (c == "[") - (c == "]")
            count += depth == 0 and c not in "*?]"
        return count

    def matches(self, symbol: str) -> bool:
        if self.is_exact:
            return symbol == self.pattern
        return fnmatch.fnmatchcase(symbol, self.pattern)

    def get(self, key: str, default=None):
        return self.values.get(key, default)

    @property
    def role(self) -> str:
        return self.values["role"]

    @property
    def hook_sees_all(self) -> bool:
        """Also the calls of a session that is paused."""
        return "hook" in self.values and "hook_while" not in self.values

    @property
    def kind(self) -> str:
        return self.values.get("kind", "other")

    @property
    def is_work(self) -> bool:
        return self.role in ("record", "state") and self.values.get(
            "work", self.kind in WORK_KINDS)

    @property
    def is_of_cuda11(self) -> bool:
        return self.values.get("simulated") == CUDA11

    @property
    def is_wrapped(self) -> bool:
        return self.role in ("record", "count", "state")


@dataclasses.dataclass(frozen=True)
class LibrarySpec:
    """One spec file: how to read the headers, and what functions mean."""

    name: str
    file: str
    units: tuple[Unit, ...]
    symbols: tuple[str, ...]
    sonames: dict[str, str]  # profile -> SONAME of the simulated library
    soname_prefix: str
    versioned: bool  # symbols carry a version node
    node: str  # its name; "": that of the SONAME
    omit: tuple[str, ...]  # globs of arguments that no record keeps
    hooks_headers: tuple[str, ...]
    routes: tuple[str, ...]  # of entries that name none
    wrapper_files: int  # the wrappers are compiled in that many parts
    name_list: str  # file of names, for libraries without headers
    name_outputs: dict[str, tuple]  # of those names
    host_outputs: tuple[str, ...]  # whose pointers are host output parameters
    variables: tuple[str, ...]  # that the library exports
    not_supported: str  # status of what the simulated library refuses
    parts: dict[str, tuple[str, ...]]  # sub-library -> globs of its headers
    defaults: dict[str, str]  # handle, stream, event: where the argument exists
    entries: tuple[Entry, ...]
    added: frozenset[str] = frozenset()  # functions that only CUDA 12 has
    removed: frozenset[str] = frozenset()  # that CUDA 12 has not

    @property
    def has_wrappers(self) -> bool:
        return any(e.is_wrapped for e in self.entries)

    def entry_for(self, symbol: str) -> Entry | None:
        """Exact name beats glob, longer glob beats shorter."""
        matching = [e for e in self.entries if e.matches(symbol)]
        exact = [e for e in matching if e.is_exact]
        if exact:
            return exact[0]
        matching.sort(key=lambda e: e.specificity, reverse=True)
        if len(matching) > 1 and (matching[0].specificity
                                  == matching[1].specificity):
            raise model.SpecError(
                f"{self.file}: {symbol} is matched by two equally long globs: "
                f"[{matching[0].pattern}] and [{matching[1].pattern}]; "
                f"write an entry of its own")
        return matching[0] if matching else None


    def described(self, function: model.Function) -> Entry | None:
        """The entry of a function, completed by the library's defaults."""
        entry = self.entry_for(function.symbol)
        if entry is None:
            return None
        left_out = entry.get("omit", [])
        values = {key: name for key, name in self.defaults.items()
                  if function.parameter(name) and name not in left_out
                  } | entry.values
        values.setdefault("routes", list(self.routes))
        if self.omit:
            values["spare"] = [p.name for p in function.parameters if any(
                fnmatch.fnmatchcase(p.name, g) for g in self.omit)]
        return dataclasses.replace(entry, values=values)


def load(path: pathlib.Path) -> LibrarySpec:
    """Reads one spec file; every error names the file and the key."""
    file = path.name
    try:
        tables = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise model.SpecError(f"{file}: {error}") from error
    library = tables.pop("library", None)
    if library is None:
        raise model.SpecError(f"{file}: no [library] table")
    if path.stem not in LIBRARIES:
        raise model.SpecError(f"{file}: no library of that name in vocabulary.toml")
    _reject_unknown(f"{file}: [library]", library, LIBRARY_KEYS)
    _check_routes(f"{file}: [library]", library.get("routes", []))
    entries = []
    for patterns, values in tables.items():
        for pattern in patterns.split("|"):
            entries.append(Entry(file, pattern.strip(), values))
            _check_entry(entries[-1])
            _check_simulated(entries[-1], library)
    return LibrarySpec(
        name=path.stem, file=file, units=_units(file, library),
        symbols=tuple(library.get("symbols", [])),
        sonames=library.get("soname", {}),
        soname_prefix=library.get("soname_prefix", ""),
        versioned=library.get("versioned", True), node=library.get("node", ""),
        omit=tuple(library.get("omit", [])),
        hooks_headers=tuple(library.get("hooks_headers",
                                        DEFAULT_HOOKS_HEADERS)),
        routes=tuple(library.get("routes", DEFAULT_ROUTES)),
        wrapper_files=library.get("wrapper_files", 1),
        name_list=library.get("names", ""), name_outputs={},
        host_outputs=tuple(library.get("host_outputs", ["*"])),
        variables=tuple(library.get("variables", [])),
        not_supported=library.get("not_supported", ""),
        parts={part: tuple(headers)
               for part, headers in library.get("parts", {}).items()},
        defaults={k: library[k] for k in ("handle", "stream", "event")
                  if k in library},
        entries=tuple(entries))


def _units(file: str, library: dict) -> tuple[Unit, ...]:
    if sum(k in library for k in ("headers", "units", "names")) != 1:
        raise model.SpecError(
            f"{file}: [library] needs one of headers, units and names")
    if "names" in library:
        return ()
    if not library.get("symbols"):
        raise model.SpecError(f"{file}: [library] needs symbols")
    units = library.get("units", [library])
    return tuple(Unit(tuple(u["headers"]), tuple(u.get("defines", [])))
                 for u in units)


def _reject_unknown(where: str, table: dict, known) -> None:
    for key in table:
        if key not in known:
            raise model.SpecError(f"{where}: unknown key '{key}'")


def _check_entry(entry: Entry) -> None:
    if not isinstance(entry.values, dict):
        raise model.SpecError(f"{entry.file}: '{entry.pattern}' is no table")
    _reject_unknown(entry.where, entry.values, ENTRY_KEYS)
    _one_of(entry, "role", ROLES, required=True)
    _one_of(entry, "class", CLASSES)
    _one_of(entry, "direction", DIRECTIONS)
    _one_of(entry, "kind", KINDS)
    _one_of(entry, "op_kind", OP_KINDS)
    _check_routes(entry.where, entry.get("routes", []))
    for key, known in MEANING_TABLES.items():
        _reject_unknown(f"{entry.where}: {key}", entry.get(key, {}), known)
    _check_constants(entry)
    _check_hook(entry)
    if entry.get("work") and entry.role not in ("record", "state"):
        raise model.SpecError(
            f"{entry.where}: work needs role 'record' or 'state'; a counted "
            f"call never starts a session")
    if (entry.role == "not") != ("reason" in entry.values):
        raise model.SpecError(
            f"{entry.where}: a reason belongs to role 'not', and only there")


def _check_constants(entry: Entry) -> None:
    """What stands for itself, as "=f32" does, is a word too."""
    constants = [("copy_kind", entry.get("copy_kind", ""), COPY_KINDS)]
    constants += [(f"dtype.{word}", value, DTYPES)
                  for word, value in entry.get("dtype", {}).items()]
    for key, value, known in constants:
        if value.startswith("=") and value[1:] not in known:
            raise model.SpecError(f"{entry.where}: unknown {key} '{value}'")


def _check_simulated(entry: Entry, library: dict) -> None:
    simulated = entry.get("simulated", True)
    if simulated not in (True, False, UNSUPPORTED, CUDA11):
        raise model.SpecError(f"{entry.where}: simulated '{simulated}' is none "
                              f"of true, false, '{UNSUPPORTED}', '{CUDA11}'")
    if simulated == UNSUPPORTED and not library.get("not_supported"):
        raise model.SpecError(f"{entry.where}: simulated '{UNSUPPORTED}' needs "
                              f"not_supported in [library]")


def _check_routes(where: str, routes: list[str]) -> None:
    for route in routes:
        if route not in ROUTES:
            raise model.SpecError(f"{where}: routes '{route}' is none of "
                                  f"{', '.join(ROUTES)}")


def _check_hook(entry: Entry) -> None:
    packed = entry.get("packed", {})
    _reject_unknown(f"{entry.where}: packed", packed, MEANING_NUMBERS)
    if ("hook_args" in entry.values or packed) and not entry.get("hook"):
        raise model.SpecError(f"{entry.where}: hook_args or packed, no hook")
    if entry.get("hook_while", "recording") != "recording" or (
            "hook_while" in entry.values and
            (entry.role != "record" or not entry.get("hook"))):
        raise model.SpecError(f"{entry.where}: hook_while is 'recording', of "
                              f"the hook of a 'record'")
    for name, type_ in packed.items():
        if type_ not in PACKED_TYPES:
            raise model.SpecError(
                f"{entry.where}: packed: {name}: '{type_}' is none of "
                f"{', '.join(PACKED_TYPES)}")
    if packed and entry.role != "record":
        raise model.SpecError(f"{entry.where}: packed without role 'record'")


def _one_of(entry: Entry, key: str, known, required: bool = False) -> None:
    value = entry.get(key)
    if value is None and not required:
        return
    if value not in known:
        raise model.SpecError(
            f"{entry.where}: {key} '{value}' is none of {', '.join(known)}")


def check_used(spec: LibrarySpec, functions: list[model.Function],
               other_version: bool) -> None:
    """Every entry must describe at least one function of the headers, except
    that headers of another CUDA version may lack some."""
    symbols = [f.symbol for f in functions]
    if other_version:
        return
    used = {id(spec.entry_for(s)) for s in symbols}
    for entry in spec.entries:
        if id(entry) in used:
            continue
        problem = ("every function that it matches has a closer entry"
                   if any(entry.matches(s) for s in symbols)
                   else "no function of the headers has that name")
        raise model.SpecError(f"{entry.where}: {problem}")
