# SPDX-License-Identifier: Apache-2.0
"""Windows of recording, opened and closed by the program itself."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator


def _loaded(stem: str) -> str | None:
    """The path of a library of this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            _, slash, path = line.rstrip("\n").partition("/")
            if path.rpartition("/")[2].startswith(stem):
                return slash + path
    return None


def _runtime() -> ctypes.CDLL | None:
    """The CUDA runtime, if the process runs under dltap and has loaded it.
    What is looked up in it then comes from the preloaded library."""
    path = _loaded("libcudart") if _loaded("libdltap.so") else None
    if path is None:
        return None
    return ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)


@contextlib.contextmanager
def record() -> Iterator[bool]:
    """Records what happens inside, where the process was started under dltap
    with DLTAP_START=off:

        with dltap.record():
            train_some_steps()

    Gives whether that opened a window. Elsewhere, and before the process has
    loaded CUDA's runtime, it does nothing, so that it may stay in a program.
    What is launched inside counts, whenever it runs.
    """
    runtime = _runtime()
    if runtime is None or runtime.cudaProfilerStart() != 0:
        yield False
        return
    try:
        yield True
    finally:
        runtime.cudaProfilerStop()
