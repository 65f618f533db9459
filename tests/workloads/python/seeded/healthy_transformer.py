#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A causal transformer: fused attention, bfloat16 weights, fused AdamW."""
import torch
import torch.nn.functional as F
from torch import nn

import common


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, seq, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, seq, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(y.transpose(1, 2).reshape(batch, seq, width))
        return x + self.mlp(self.norm2(x))


def main() -> None:
    args = common.options(__doc__)
    body = [Block(1024, 16) for _ in range(4)]
    model = nn.Sequential(nn.Embedding(8192, 1024), *body, nn.LayerNorm(1024),
                          nn.Linear(1024, 8192)).cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    tokens = torch.zeros(16, 1024, dtype=torch.long, device="cuda")

    def step(_: int) -> None:
        logits = model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten())
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
