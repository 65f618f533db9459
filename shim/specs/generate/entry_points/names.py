# SPDX-License-Identifier: Apache-2.0
"""Name lists of libraries whose headers are not at hand (shim/specs/names)."""

from __future__ import annotations

import pathlib
import re

from entry_points import model

_INT = model.Type("int", model.Scalar("int", 4, 4), None, None)
_STRING = model.Type("const char*", model.Scalar("pointer", 8, 8), None, None)
_RETURNS_STRING = "returns:string"
_OUTPUT = re.compile(r"(\d+):(i32|i64|f32|handle)")

Outputs = tuple[tuple[int, str], ...]  # (position from 0, type)


def load(path: pathlib.Path
         ) -> tuple[list[model.Function], dict[str, Outputs]]:
    """One function per line, see the README; # begins a comment."""
    outputs: dict[str, Outputs] = {}
    functions = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        name = words.pop(0)
        result = _STRING if _RETURNS_STRING in words else _INT
        found = [_OUTPUT.fullmatch(w) for w in words if w != _RETURNS_STRING]
        if None in found or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise model.SpecError(
                f"{path.name}:{number}: expected NAME [POSITION:TYPE ...] "
                f"[{_RETURNS_STRING}] with i32, i64, f32 or handle: "
                f"{line.strip()}")
        if name in outputs:
            raise model.SpecError(f"{path.name}:{number}: {name} twice")
        outputs[name] = tuple((int(m[1]), m[2]) for m in found)
        functions.append(model.Function(name, result, (), 0))
    return sorted(functions, key=lambda f: f.symbol), outputs
