# SPDX-License-Identifier: Apache-2.0
"""Runs named checks and reports which failed."""

import contextlib
import time
import traceback

import torch

EDGE_S = 0.05

_checks = []


def check(function):
    _checks.append(function)
    return function


def run_all():
    """Exit status: 0 when every check passed on the simulated device."""
    assert torch.cuda.is_available(), "no simulated device"
    failed = 0
    for function in _checks:
        try:
            function()
            torch.cuda.synchronize()
        except Exception:  # a check may fail in any way
            failed += 1
            print(f"FAIL {function.__name__}\n{traceback.format_exc()}",
                  flush=True)
        else:
            print(f"ok   {function.__name__}", flush=True)
    print(f"{len(_checks) - failed} of {len(_checks)} checks passed")
    return 1 if failed or not _checks else 0


def random(*shape, **options):
    return torch.randn(*shape, device="cuda", **options)


@contextlib.contextmanager
def clear_of_edges():
    """Inside a profile: Kineto drops what it thinks began before its window, and
    maps two clocks to know. The work and its kernels stay clear of the edges."""
    time.sleep(EDGE_S)
    yield
    torch.cuda.synchronize()
    time.sleep(EDGE_S)
