# SPDX-License-Identifier: Apache-2.0
"""Where the dltap program is, and how to ask it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import warnings

_WARNING = "dltap: warning: "
_OWN = pathlib.Path(__file__).with_name("native") / "bin" / "dltap"


class DltapError(RuntimeError):
    """What dltap said on stderr; `exit_code` as its command line documents."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class DltapWarning(UserWarning):
    """What dltap warned of on stderr while it answered."""


def path() -> pathlib.Path:
    """The program of this package, else the one on PATH."""
    if _OWN.is_file():
        return _OWN
    found = shutil.which("dltap")
    if found is None:
        raise DltapError("no dltap program here: this package was installed "
                         "without it, and none is on PATH", 127)
    return pathlib.Path(found)


def ask(*arguments: str | os.PathLike[str], accept: tuple[int, ...] = (0,)
        ) -> str:
    """What the program prints; what it warns of are Python's warnings. Raises
    DltapError unless its exit code is one of `accept`."""
    done = subprocess.run([path(), *arguments], capture_output=True,
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode not in accept:
        raise DltapError(done.stderr.strip() or
                         f"dltap ended with {done.returncode}",
                         done.returncode)
    for line in done.stderr.splitlines():
        if line.startswith(_WARNING):
            warnings.warn(line.removeprefix(_WARNING), DltapWarning,
                          stacklevel=2)
    return done.stdout
