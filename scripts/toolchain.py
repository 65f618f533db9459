# SPDX-License-Identifier: Apache-2.0
"""What setup.sh chose for this clone: build/toolchain.env."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def chosen(name: str) -> str | None:
    """The value of a line NAME=value; None: it is not there."""
    path = ROOT / "build/toolchain.env"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    values = dict(line.split("=", 1) for line in text.splitlines()
                  if "=" in line)
    return values.get(name)
