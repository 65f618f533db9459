# SPDX-License-Identifier: Apache-2.0
"""Small helpers to write C++ text."""

from __future__ import annotations

import pathlib

HEADING = """\
// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
"""

_FNV_OFFSET, _FNV_PRIME = 0x811C9DC5, 0x01000193


def camel(word: str) -> str:
    """graph_launch -> GraphLaunch."""
    return "".join(part.capitalize() for part in word.split("_"))


def boolean(value: object) -> str:
    return "true" if value else "false"


def quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def guard(file: str) -> str:
    stem = "".join(c if c.isalnum() else "_" for c in file).upper()
    return f"DLTAP_GENERATED_{stem}_"


def header(file: str, body: str) -> str:
    name = guard(file)
    return (f"{HEADING}#ifndef {name}\n#define {name}\n\n{body}\n"
            f"#endif  // {name}\n")


def name_hash(name: str) -> int:
    """FNV-1a, as HashName() in shim/specs/name_table.h."""
    value = _FNV_OFFSET
    for byte in name.encode():
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return value


def hash_table(names: list[tuple[int, str]]) -> list[int]:
    """Open addressing, linear probing; 0xFFFF is an empty slot."""
    size = 1
    while size < 2 * max(len(names), 1):
        size *= 2
    slots = [0xFFFF] * size
    for value, name in names:
        slot = name_hash(name) % size
        while slots[slot] != 0xFFFF:
            slot = (slot + 1) % size
        slots[slot] = value
    return slots


def rows(values: list, per_row: int = 10) -> str:
    """Comma-separated values, some to a line."""
    lines = [", ".join(str(v) for v in values[i:i + per_row])
             for i in range(0, len(values), per_row)]
    return "".join(f"    {line},\n" for line in lines)


class StringPool:
    """All strings of a table in one array, so that it needs no relocation."""

    def __init__(self):
        self._offsets: dict[str, int] = {}
        self._size = 0

    def add(self, value: str) -> int:
        if value not in self._offsets:
            self._offsets[value] = self._size
            self._size += len(value) + 1
        return self._offsets[value]

    def literal(self) -> str:
        return "".join(f"    {quoted(v)} \"\\0\"\n" for v in self._offsets) \
            or '    ""\n'


class Output:
    """Files of a run; one is rewritten only when its text changes."""

    def __init__(self):
        self.files: dict[str, str] = {}

    def add(self, name: str, content: str) -> None:
        self.files[name] = content

    def write_to(self, folder: pathlib.Path) -> None:
        for name, content in self.files.items():
            path = folder / name
            if path.exists() and path.read_text() == content:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
