#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Experts of one input one after the other; repaired: batched products."""
import torch
import torch.nn.functional as F
from torch import nn

import common

EXPERTS, WIDTH, HIDDEN, ROWS, TASKS = 24, 768, 256, 4096, 4


class Mixture(nn.Module):
    """Each task has its own mean of all experts."""

    def __init__(self) -> None:
        super().__init__()
        self.gates, self.heads = (
            nn.ModuleList(nn.Linear(taken, made) for _ in range(TASKS))
            for taken, made in ((WIDTH, EXPERTS), (HIDDEN, 1)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = self.experts(x)
        means = ((gate(x).softmax(-1).unsqueeze(-1) * made).sum(1)
                 for gate in self.gates)
        return torch.cat([h(mean) for h, mean in zip(self.heads, means)], -1)


class Loop(Mixture):
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(),
                          nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
            for _ in range(EXPERTS))

    def experts(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack([expert(x) for expert in self.each], 1)


class Batched(Mixture):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, EXPERTS * HIDDEN)
        self.second = nn.Parameter(torch.zeros(EXPERTS, HIDDEN, HIDDEN))
        self.bias = nn.Parameter(torch.zeros(EXPERTS, 1, HIDDEN))

    def experts(self, x: torch.Tensor) -> torch.Tensor:
        made = F.relu(self.first(x)).view(-1, EXPERTS, HIDDEN)
        return F.relu(torch.baddbmm(self.bias, made.transpose(0, 1),
                                    self.second)).transpose(0, 1)


def main() -> None:
    args = common.options(__doc__)
    model = (Loop if args.bug else Batched)().cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(ROWS, WIDTH, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
