#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One expert after the other; repaired: batched products for all."""
import torch
import torch.nn.functional as F
from torch import nn

import common

EXPERTS, WIDTH, HIDDEN, ROWS, LAYERS = 16, 512, 1024, 2048, 4


class Expert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.up = nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Loop(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(Expert() for _ in range(EXPERTS))

    def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        made = torch.zeros_like(x)
        for expert, index in zip(self.experts, rows):
            made.index_add_(0, index, expert(x[index]))
        return made


class Batched(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up = (
            nn.Parameter(torch.zeros(EXPERTS, WIDTH, HIDDEN))
            for _ in range(2))
        self.down = nn.Parameter(torch.zeros(EXPERTS, HIDDEN, WIDTH))

    def forward(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        index = rows.flatten()
        taken = x[index].view(EXPERTS, -1, WIDTH)
        y = F.silu(taken @ self.gate) * (taken @ self.up)
        return torch.zeros_like(x).index_add(
            0, index, (y @ self.down).view(-1, WIDTH))


def main() -> None:
    args = common.options(__doc__)
    kind = Loop if args.bug else Batched
    layers = nn.ModuleList(kind() for _ in range(LAYERS)).cuda().bfloat16()
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(ROWS, WIDTH, device="cuda", dtype=torch.bfloat16)
    rows = torch.arange(ROWS, device="cuda").view(EXPERTS, -1)

    def step(_: int) -> None:
        x = batch
        for layer in layers:
            x = x + layer(x, rows)
        common.update(optimizer, x.float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
