# SPDX-License-Identifier: Apache-2.0
"""Runs named checks of a framework and says which failed."""

import sys
import time
import traceback

_checks = []


def check(function):
    _checks.append(function)
    return function


def run_all(finish=lambda: None, names=()):
    """Ends the process: with 0 when every check passed (all, or those of these
    names), `finish` (what waits for the device) after each of them included."""
    chosen = [function for function in _checks
              if not names or function.__name__ in names]
    failed = 0
    for function in chosen:
        begin = time.monotonic()
        try:
            function()
            finish()
        except Exception:  # a check may fail in any way
            failed += 1
            print(f"FAIL {function.__name__}\n{traceback.format_exc()}",
                  flush=True)
        else:
            print(f"ok   {function.__name__} "
                  f"{time.monotonic() - begin:.1f} s", flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} checks passed")
    sys.exit(1 if failed or not chosen else 0)
