#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convolutions with a bias before batch norms; repaired: without."""
import torch
from torch import nn

import common

WIDTH, LAYERS = 64, 6


def main() -> None:
    args = common.options(__doc__)
    rows = [nn.Conv2d(3, WIDTH, 3, padding=1, bias=False)]
    for _ in range(LAYERS):
        rows += [nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=args.bug),
                 nn.BatchNorm2d(WIDTH), nn.ReLU(inplace=True)]
    model = nn.Sequential(*rows, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(WIDTH, 1000)).cuda().half()
    model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(64, 3, 128, 128, device="cuda", dtype=torch.half)
    batch = batch.to(memory_format=torch.channels_last)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
