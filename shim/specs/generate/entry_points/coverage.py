# SPDX-License-Identifier: Apache-2.0
"""How many functions of each header are wrapped, and which are unknown."""

from __future__ import annotations

import pathlib
import tomllib

from entry_points.catalog import Catalog
from entry_points.model import SpecError

_ROLES = ("record", "count", "state", "not", "unknown")


def report(catalog: Catalog) -> str:
    lines = [f"{'library':<12}{'functions':>10}"
             + "".join(f"{role:>9}" for role in _ROLES)]
    for library in catalog.specs:
        roles = [p.role for p in catalog.of(library)]
        lines.append(f"{library:<12}{len(roles):>10}" + "".join(
            f"{roles.count(role):>9}" for role in _ROLES))
    for library in catalog.specs:
        lines += [f"unknown: {library}: {p.symbol}"
                  for p in catalog.of(library) if p.role == "unknown"]
    for point in catalog.points:
        if point.layout and point.layout.dropped:
            lines.append(f"not recorded: {point.symbol}: "
                         f"{', '.join(point.layout.dropped)}")
    return "\n".join(lines) + "\n"


def check(catalog: Catalog, ceilings_file: pathlib.Path) -> None:
    """Fails when a library has more unknown functions than its ceiling."""
    ceilings = tomllib.loads(ceilings_file.read_text())
    for library in catalog.specs:
        unknown = [p.symbol for p in catalog.of(library)
                   if p.role == "unknown"]
        ceiling = ceilings.get(library, 0)
        if len(unknown) > ceiling:
            raise SpecError(
                f"{library}.toml: {len(unknown)} functions have no role, at "
                f"most {ceiling} may ({ceilings_file.name}): "
                f"{', '.join(unknown[:10])}")
