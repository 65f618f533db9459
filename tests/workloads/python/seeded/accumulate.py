#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gradients are sent for each of 8 micro-batches; repaired: for the last."""
import contextlib

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common

PARTS = 8


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    device = common.join_ranks()
    model = DistributedDataParallel(common.mlp(2048, 12),
                                    device_ids=[device.index])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    part = torch.zeros(1024, 2048, device=device)

    def step(_: int) -> None:
        for number in range(1, PARTS + 1):
            sends = args.bug or number == PARTS
            with contextlib.nullcontext() if sends else model.no_sync():
                (model(part).square().mean() / PARTS).backward()
        optimizer.step()
        optimizer.zero_grad()

    common.train(step, args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
