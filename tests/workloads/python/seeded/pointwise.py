#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Norm, GELU and dropout by their formulas; repaired: the functions."""
import math

import torch
import torch.nn.functional as F
from torch import nn

import common

KEPT = 0.9


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    mean = x.pow(2).mean(-1, keepdim=True)
    return x * torch.rsqrt(mean + 1e-6) * weight


def gelu(x: torch.Tensor) -> torch.Tensor:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow(3))
    return 0.5 * x * (1 + torch.tanh(inner))


def dropout(x: torch.Tensor) -> torch.Tensor:
    return x * (torch.rand_like(x) < KEPT) / KEPT


class Block(nn.Module):
    def __init__(self, width: int, by_formulas: bool) -> None:
        super().__init__()
        self.by_formulas = by_formulas
        self.weight = nn.Parameter(torch.ones(width))
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.by_formulas:
            y = self.up(rms_norm(x, self.weight))
            return x + self.down(dropout(gelu(y)))
        y = self.up(F.rms_norm(x, x.shape[-1:], self.weight, 1e-6))
        return x + self.down(F.dropout(F.gelu(y, approximate="tanh"), 1 - KEPT))


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(*(Block(1024, args.bug) for _ in range(6)))
    model.cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batch = torch.zeros(16384, 1024, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
