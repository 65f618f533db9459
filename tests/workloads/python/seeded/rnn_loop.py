#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LSTM cells of single operators in a loop; repaired: nn.LSTM."""
import torch
from torch import nn

import common


class Cells(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inputs = nn.Linear(width, 4 * width)
        self.states = nn.Linear(width, 4 * width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = cell = torch.zeros_like(x[:, 0])
        outputs = []
        for part in x.unbind(1):
            gates = (self.inputs(part) + self.states(state)).chunk(4, 1)
            taken, kept, given = (torch.sigmoid(g) for g in gates[:3])
            cell = kept * cell + taken * torch.tanh(gates[3])
            state = given * torch.tanh(cell)
            outputs.append(state)
        return torch.stack(outputs, 1)


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.LSTM(width, width, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)[0]


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    kind = Cells if args.bug else Layer
    model = nn.Sequential(kind(256), kind(256)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(32, 32, 256, device="cuda")

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
