# SPDX-License-Identifier: Apache-2.0
"""Lists of functions that gen_api_calls.py writes (calls.toml).

Tables of a list; an entry is FUNCTION, or FUNCTION=BODY where the names differ:
  [own]     the body has the function's own arguments
  [shared]  the runtime's function has the driver's body: arguments that both
            APIs lay out alike are handed over as the driver's types
  [forward] the runtime's function calls a function of the driver: FUNCTION=CALL
The keys of [own] and [shared] are the needs: nothing, devices (the driver: an
earlier cuInit), context; stream: a context, and the body has a Stream& where
the function has a stream, or at its end; table: it calls the driver, whose
addresses come first. Another function that has per-thread variants tells its
body first which default stream null stands for.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import tomllib

from entry_points import model

NEEDS = ("nothing", "devices", "context", "stream", "table")


@dataclasses.dataclass(frozen=True)
class Entry:
    table: str  # own | shared | forward
    needs: str
    symbol: str
    target: str  # body, or function of the driver


def load(path: pathlib.Path, prefix: str) -> list[Entry]:
    """`prefix`: of the library's functions, "cu"."""
    entries = []
    for table, rows in tomllib.loads(path.read_text()).items():
        for needs, words in rows.items():
            if needs not in NEEDS:
                raise model.SpecError(f"{path}: unknown need '{needs}'")
            for word in words.split():
                symbol, _, target = word.partition("=")
                name = symbol.lstrip("_").removeprefix(prefix)
                entries.append(Entry(table, needs, symbol,
                                     target or re.sub(r"_v\d$", "", name)))
    return entries


def members(table: pathlib.Path) -> dict[str, str]:
    """Functions of the driver -> members of the runtime's table of them."""
    rows = re.findall(r'X\((\w+), "\w+",[\s\\]*\d+,[\s\\]*(\w+)\)',
                      table.read_text())
    return {symbol: member for member, symbol in rows}
