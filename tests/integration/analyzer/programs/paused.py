#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's programs that pause; arguments as in pauses.py.

What a step waits for its DataLoader is in `input:workers`: workers lag behind
where the machine is busy, and catch up in a pause.
"""
import time

import pauses
import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter

import paused  # noqa: F401, registers its programs
import paused_more  # noqa: F401
import paused_threads  # noqa: F401
from programs import PROGRAMS


def time_workers(at):
    take = _BaseDataLoaderIter.__next__

    def timed(batches):
        begin = time.perf_counter()
        batch = take(batches)
        at.add("input:workers", begin)
        return batch
    _BaseDataLoaderIter.__next__ = timed


def make(name, at):
    torch.manual_seed(0)
    time_workers(at)
    return PROGRAMS[name]("cuda", at)


if __name__ == "__main__":
    pauses.run_all(make, lambda: torch.cuda.synchronize())
