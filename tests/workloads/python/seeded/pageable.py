#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches are copied from pageable memory; repaired: from pinned memory."""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    images = torch.zeros(128, 3, 224, 224).to(
        memory_format=torch.channels_last)
    if not args.bug:
        images = images.pin_memory()
    model = nn.Sequential(
        nn.Conv2d(3, 256, 7, stride=4), nn.ReLU(),
        *(layer for _ in range(4)
          for layer in (nn.Conv2d(256, 256, 3), nn.ReLU())),
        nn.MaxPool2d(8), nn.Flatten(), nn.Linear(6400, 10))
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)

    def step(_: int) -> None:
        batch = images.cuda(non_blocking=not args.bug)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
