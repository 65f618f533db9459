# SPDX-License-Identifier: Apache-2.0
"""Name lists of libraries whose headers are not at hand (shim/specs/names)."""

from __future__ import annotations

import pathlib
import re

from entry_points import model

_INT = model.Type("int", model.Scalar("int", 4, 4), None, None)
_OUTPUT = re.compile(r"(\d+):(i32|i64|f32|handle)")

Outputs = tuple[tuple[int, str], ...]  # (position from 0, type)


def load(path: pathlib.Path
         ) -> tuple[list[model.Function], dict[str, Outputs]]:
    """One function per line: NAME [POSITION:TYPE ...]; # begins a comment."""
    outputs: dict[str, Outputs] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        found = [_OUTPUT.fullmatch(word) for word in words[1:]]
        if None in found or not re.fullmatch(r"[A-Za-z_]\w*", words[0]):
            raise model.SpecError(
                f"{path.name}:{number}: expected NAME [POSITION:TYPE ...] "
                f"with i32, i64, f32 or handle: {line.strip()}")
        if words[0] in outputs:
            raise model.SpecError(f"{path.name}:{number}: {words[0]} twice")
        outputs[words[0]] = tuple((int(m[1]), m[2]) for m in found)
    functions = [model.Function(name, _INT, (), 0) for name in sorted(outputs)]
    return functions, outputs
