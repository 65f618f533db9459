#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Masked attention of products in FP32; repaired: one function, bfloat16."""
import math

import torch
import torch.nn.functional as F
from torch import nn

import common


def composed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:], dtype=torch.bool,
                       device=q.device).triu(1)
    return torch.softmax(scores.masked_fill(later, -1e9), dim=-1) @ v


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
            half = (part.bfloat16() for part in (q, k, v))
            y = F.scaled_dot_product_attention(*half, is_causal=True).float()
        else:
            y = composed(q, k, v)
        return self.project(y.transpose(1, 2).reshape(batch, seq, width))


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = nn.Sequential(*(Attention(512, 8, not args.bug)
                            for _ in range(3))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batch = torch.zeros(4, 1024, 512, device="cuda")

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
