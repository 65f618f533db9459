# SPDX-License-Identifier: Apache-2.0
"""dltap from Python: reports as data frames, recording windows, notebooks.

    import dltap
    run = dltap.load("run1")        # a trace, or several paths of one run
    run.classes                     # a data frame, a row per layer class
    run.limit                       # what to work on first
    run.diff("run2").sentence       # what changed

The numbers are those of `dltap report --json`, whose schema says what each one
means: times are nanoseconds, shares 1 for the whole, unknown is NA.
"""

from __future__ import annotations

import importlib.metadata
from typing import Any

from dltap._program import DltapError, DltapWarning
from dltap._recording import record
from dltap._report import Difference, Report, load

__all__ = ["Difference", "DltapError", "DltapWarning", "Report", "load",
           "record"]

try:
    __version__ = importlib.metadata.version("dltap")
except importlib.metadata.PackageNotFoundError:  # run from a source tree
    __version__ = "0"


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext dltap`: the magics %dltap and %%dltap."""
    from dltap import _notebook

    _notebook.register(shell)
