#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gradients are averaged after the backward pass; repaired: during it."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    device = common.join_ranks()
    model = common.mlp(2048, 12)
    if not args.bug:
        model = DistributedDataParallel(model, device_ids=[device.index])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(4096, 2048, device=device)

    def step(_: int) -> None:
        optimizer.zero_grad(set_to_none=True)
        model(batch).mean().backward()
        if args.bug:
            for parameter in model.parameters():
                dist.all_reduce(parameter.grad)
        optimizer.step()

    common.train(step, args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
