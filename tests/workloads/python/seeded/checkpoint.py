#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All layers are computed again though memory is empty; repaired: none is."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import common


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.LayerNorm(width),
                                  nn.Linear(width, 4 * width), nn.GELU(),
                                  nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x)


def main() -> None:
    args = common.options(__doc__)
    blocks = nn.ModuleList(Block(1024) for _ in range(6)).cuda().bfloat16()
    optimizer = torch.optim.AdamW(blocks.parameters(), fused=True)
    batch = torch.zeros(8192, 1024, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        x = batch
        for block in blocks:
            x = (checkpoint(block, x, use_reentrant=False) if args.bug
                 else block(x))
        common.update(optimizer, x.mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
