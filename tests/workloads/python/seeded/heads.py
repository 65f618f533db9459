#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each head of attention is a module of its own; repaired: one for all."""
import torch
import torch.nn.functional as F
from torch import nn

import common

BATCH, TOKENS, WIDTH, HEADS, LAYERS = 16, 256, 768, 12, 4
HEAD = WIDTH // HEADS


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList(nn.Linear(WIDTH, HEAD, bias=False)
                                   for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (part(x).unsqueeze(1) for part in self.parts)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)[:, 0]


class Each(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head() for _ in range(HEADS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([head(x) for head in self.heads], -1)


class All(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        qkv = self.qkv(x).view(BATCH, TOKENS, 3, HEADS, HEAD)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH)


class Block(nn.Module):
    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.project = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                  nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.project(self.attention(self.norms[0](x)))
        return x + self.wide(self.norms[1](x))


def main() -> None:
    args = common.options(__doc__)
    kind = Each if args.bug else All
    model = nn.Sequential(*(Block(kind()) for _ in range(LAYERS)))
    model.cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(BATCH, TOKENS, WIDTH, device="cuda",
                        dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
