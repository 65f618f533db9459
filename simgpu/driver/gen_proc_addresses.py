#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what cuGetProcAddress answers, rows {"base name", version, per thread,
address}, sorted by name.

Which versions a function has stands in cudaTypedefs.h (PFN_cuMemAlloc_v3020);
which symbols, in libcuda's version script. The newest version is the highest
suffix.

usage: gen_proc_addresses.py TYPEDEFS_H CUDA_LDS OUTPUT
"""

import collections
import pathlib
import re
import sys

_TYPEDEF = re.compile(r"\bPFN_(cu\w+?)_v(\d{4,5})(_pts[zd]|_ptds)?\)")
_SYMBOL = re.compile(r"^\s+(cu\w+);$", re.MULTILINE)

# A base name whose newest version is a symbol of another name (cuda.h).
_RENAMED = {"cuGraphInstantiate": (12000, "cuGraphInstantiateWithFlags")}


def symbols_of(base: str, suffix: str, exported: set[str]) -> list[str]:
    names = [base + version + suffix
             for version in ("", "_v2", "_v3", "_v4", "_v5")]
    return [name for name in names if name in exported]


def rows(typedefs: str, exported: set[str]):
    versions = collections.defaultdict(set)
    for base, version, suffix in _TYPEDEF.findall(typedefs):
        versions[base, suffix].add(int(version))
    for (base, suffix), found in versions.items():
        symbols = symbols_of(base, suffix, exported)
        count = min(len(symbols), len(found))
        for version, symbol in zip(sorted(found)[-count:] if count else [],
                                   symbols[-count:]):
            yield base, version, bool(suffix), symbol
    for base, (version, symbol) in _RENAMED.items():
        yield base, version, False, symbol


def main() -> int:
    typedefs, script, output = map(pathlib.Path, sys.argv[1:4])
    exported = set(_SYMBOL.findall(script.read_text()))
    table = sorted(rows(typedefs.read_text(), exported))
    if not table:
        print(f"{typedefs}: holds no PFN_cu* type", file=sys.stderr)
        return 1
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// GENERATED from {typedefs.name} by gen_proc_addresses.py. "
             "DO NOT EDIT."]
    lines += [f'DLTAP_ROW("{base}", {version}, {str(per_thread).lower()}, '
              f"{symbol})" for base, version, per_thread, symbol in table]
    output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
