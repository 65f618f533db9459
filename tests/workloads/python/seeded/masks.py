#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The host makes a mask for each layer and copies it; repaired: one is made on
the GPU, once."""
import torch
import torch.nn.functional as F
from torch import nn

import common

BATCH, HEADS, HEAD, LAYERS, TOKENS = 8, 12, 64, 6, 768
WIDTH = HEADS * HEAD


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        qkv = self.qkv(self.norm(x)).view(BATCH, TOKENS, 3, HEADS, HEAD)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return x + self.project(y.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH))


def main() -> None:
    args = common.options(__doc__)
    blocks = nn.ModuleList(Block() for _ in range(LAYERS)).cuda().bfloat16()
    optimizer = torch.optim.SGD(blocks.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(BATCH, TOKENS, WIDTH, device="cuda",
                        dtype=torch.bfloat16)
    kept = torch.ones(TOKENS, TOKENS, device="cuda", dtype=torch.bool).tril()

    def step(_: int) -> None:
        x = batch
        for block in blocks:
            made = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
            x = block(x, made.cuda() if args.bug else kept)
        common.update(optimizer, x.float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
