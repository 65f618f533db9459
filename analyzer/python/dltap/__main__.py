# SPDX-License-Identifier: Apache-2.0
"""`dltap` and `python -m dltap`: the program of this package."""

from __future__ import annotations

import os
import sys

from dltap import _program


def main() -> None:
    try:
        program = os.fspath(_program.path())
    except _program.DltapError as error:
        print(f"dltap: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
