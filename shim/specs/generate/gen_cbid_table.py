#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the rows {"symbol", cbid, "CUPTI's name"}, sorted by symbol, out of one of CUPTI's
generated headers (cupti_runtime_cbid.h, cupti_driver_cbid.h).

usage: gen_cbid_table.py HEADER OUTPUT
"""

import pathlib
import re
import sys

# Runtime ids end in the version that brought them: cudaMalloc_v3020. Driver
# ids are the exported symbols, cuMemAlloc_v2 included.
_ROW = re.compile(r"^\s*CUPTI_(RUNTIME|DRIVER)_TRACE_CBID_(\w+)\s*=\s*(\d+)",
                  re.MULTILINE)
_VERSION = re.compile(r"_v(\d{4,5})$")


def rows(text: str) -> dict[str, tuple[int, str]]:
    newest: dict[str, tuple[int, int, str]] = {}
    for domain, name, number in _ROW.findall(text):
        version = 0
        full_name = name
        if domain == "RUNTIME" and (found := _VERSION.search(name)):
            version = int(found[1])
            name = name[:found.start()]
        if name in ("INVALID", "SIZE", "FORCE_INT"):
            continue
        newest[name] = max(newest.get(name, (-1, 0, "")),
                           (version, int(number), full_name))
    return {name: row[1:] for name, row in newest.items()}


def main() -> int:
    header, output = map(pathlib.Path, sys.argv[1:3])
    table = rows(header.read_text())
    if not table:
        print(f"{header}: holds no callback id", file=sys.stderr)
        return 1
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// GENERATED from {header.name} by gen_cbid_table.py. "
             "DO NOT EDIT."]
    lines += [f'{{"{name}", {number}, "{full_name}"}},'
              for name, (number, full_name) in sorted(table.items())]
    output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
