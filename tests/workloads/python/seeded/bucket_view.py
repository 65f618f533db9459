#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reduced gradients are copied out of buckets; repaired: they lie in them."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    model = DistributedDataParallel(common.mlp(2048, 12),
                                    device_ids=[device.index],
                                    gradient_as_bucket_view=not args.bug)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(2048, 2048, device=device)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).square().mean())

    common.train(step, args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
