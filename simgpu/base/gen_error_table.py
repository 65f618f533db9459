#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rows {code, "name"} of an error enumeration out of a CUDA header.

usage: gen_error_table.py HEADER PREFIX OUTPUT     (cudaError, CUDA_ERROR_)
"""

import pathlib
import re
import sys


def main() -> int:
    header, prefix, output = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    success = {"cudaError": "cudaSuccess", "CUDA_ERROR_": "CUDA_SUCCESS"}[prefix]
    row = re.compile(rf"^\s+({success}|{prefix}\w+)\s*=\s*(\d+)", re.MULTILINE)
    rows: dict[int, str] = {}
    for name, code in row.findall(pathlib.Path(header).read_text()):
        rows.setdefault(int(code), name)
    if 0 not in rows:
        print(f"{header}: holds no {success}", file=sys.stderr)
        return 1
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// GENERATED from {pathlib.Path(header).name} by "
             "gen_error_table.py. DO NOT EDIT."]
    lines += [f'{{{code}, "{rows[code]}"}},' for code in sorted(rows)]
    output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
