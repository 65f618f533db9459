#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A transpose around each convolution; repaired: none."""
import torch
from torch import nn

import common


class Block(nn.Module):
    """Takes and gives the channels last, as many papers' code does."""

    def __init__(self, width: int, transposes: bool) -> None:
        super().__init__()
        self.transposes = transposes
        self.conv = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.transposes:
            x = x.permute(0, 3, 1, 2).contiguous()
            x = torch.relu(self.conv(x))
            return x.permute(0, 2, 3, 1).contiguous()
        return torch.relu(self.conv(x))


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(*(Block(64, args.bug) for _ in range(6))).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    shape = (32, 56, 56, 64) if args.bug else (32, 64, 56, 56)
    batch = torch.zeros(shape, device="cuda")
    if not args.bug:
        model = model.to(memory_format=torch.channels_last)
        batch = batch.to(memory_format=torch.channels_last)

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
