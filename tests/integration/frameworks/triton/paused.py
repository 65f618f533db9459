# SPDX-License-Identifier: Apache-2.0
"""Compiled programs that pause, for ../../analyzer/paused_programs_test.py;
arguments as in ../../analyzer/programs/pauses.py."""

import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] /
                       "analyzer/programs"))
import pauses  # noqa: E402


class Net(nn.Module):
    """With pauses that break it into several graphs."""

    def __init__(self, at):
        super().__init__()
        self.at = torch._dynamo.disable(lambda place: at(place))
        self.conv, self.norm = nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16)
        self.inner, self.rows = nn.Linear(16 * 49, 64), nn.LayerNorm(64)
        self.outer = nn.Linear(64, 8)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 2).flatten(1)
        self.at("gemm")
        x = F.gelu(self.inner(x))
        self.at("norm")
        return self.outer(self.rows(x))


def make(mode, at):
    model = Net(at).cuda()
    compiled = torch.compile(model, mode=mode)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    labels = torch.zeros(8, dtype=torch.long, device="cuda")

    def step():
        at("input")
        x = torch.zeros(8, 3, 16, 16).cuda()
        loss = F.cross_entropy(compiled(x), labels)
        optimizer.zero_grad()
        loss.backward()
        at("optimizer")
        optimizer.step()
    return step


if __name__ == "__main__":
    pauses.run_all(make, torch.cuda.synchronize)
