#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention of products and a softmax; repaired: one fused function."""
import math

import torch
import torch.nn.functional as F
from torch import nn

import common


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, fused: bool) -> None:
        super().__init__()
        self.heads = heads
        self.fused = fused
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, seq, width = x.shape
        qkv = self.qkv(x).view(batch, seq, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
            y = torch.softmax(scores, dim=-1) @ v
        return self.project(y.transpose(1, 2).reshape(batch, seq, width))


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(*(Attention(768, 12, not args.bug)
                            for _ in range(3))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batch = torch.zeros(4, 1024, 768, device="cuda")

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
