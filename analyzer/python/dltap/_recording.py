# SPDX-License-Identifier: Apache-2.0
"""Windows of recording, opened and closed by the program itself."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator


def _is_tapped() -> bool:
    """Whether libdltap.so is loaded into this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any("/libdltap.so" in line for line in maps)


def _profiler(name: str) -> Callable[[], int]:
    """The CUDA runtime's function, by way of the preloaded library."""
    function = getattr(ctypes.CDLL(None), name)
    function.restype = ctypes.c_int
    function.argtypes = []
    return function


@contextlib.contextmanager
def record() -> Iterator[bool]:
    """Records what happens inside, where the process was started under dltap
    with DLTAP_START=off:

        with dltap.record():
            train_some_steps()

    Gives whether a recording can see it. Elsewhere it does nothing, so that it
    may stay in a program. The GPU's work counts by when it runs: synchronize
    before the end if the last of it shall be inside.
    """
    if not _is_tapped():
        yield False
        return
    _profiler("cudaProfilerStart")()
    try:
        yield True
    finally:
        _profiler("cudaProfilerStop")()
