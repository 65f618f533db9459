# SPDX-License-Identifier: Apache-2.0
"""Modules in modules; prints line and modules of each GEMM, as JSON."""

import json
import sys

import torch

EXPECTED = set()


def here(modules):
    EXPECTED.add((sys._getframe(1).f_lineno, modules))


class Block(torch.nn.Module):
    def __init__(self, path):
        super().__init__()
        self.path = path
        self.weight = torch.nn.Parameter(torch.zeros(64, 64))

    def forward(self, x):
        here(self.path); y = x @ self.weight
        return y


class Wide(Block):
    """Has no forward of its own."""


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block("Net > Sequential > Block"),
                                          Wide("Net > Sequential > Wide"))
        self.head = torch.nn.Linear(64, 8)

    def forward(self, x):
        x = self.blocks(x)
        here("Net > Linear"); return self.head(x)


def main():
    net = Net().cuda()
    x = torch.zeros(16, 64, device="cuda")
    for _ in range(4):
        net(x).sum().backward()
    torch.cuda.synchronize()
    print(json.dumps(sorted(EXPECTED)))


main()
