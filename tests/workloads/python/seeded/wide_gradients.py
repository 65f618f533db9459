#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A slow link carries gradients of 32 bits; repaired: of 16."""

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    device = common.join_ranks()
    model = DistributedDataParallel(common.mlp(2048, 12),
                                    device_ids=[device.index],
                                    gradient_as_bucket_view=True)
    if not args.bug:
        model.register_comm_hook(None, default_hooks.bf16_compress_hook)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(512, 2048, device=device)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
