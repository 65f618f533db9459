# SPDX-License-Identifier: Apache-2.0
"""torch.compile with Inductor: training of small nets in a mode."""

import sys

import checks
import torch
from torch import nn
from torch._dynamo.utils import counters

MODE = sys.argv[1]
STEPS = 4


def mlp():
    return (nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)),
            torch.randn(32, 64))


def conv_net():
    return (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8),
                          nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Linear(8 * 8 * 8, 10)),
            torch.randn(16, 3, 16, 16))


def transformer_layer():
    return (nn.TransformerEncoderLayer(64, 4, 128, batch_first=True),
            torch.randn(4, 32, 64))


def train(make):
    torch._dynamo.reset()
    counters.clear()
    model, data = make()
    model, data = model.cuda(), data.cuda()
    compiled = torch.compile(model, mode=MODE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        loss = compiled(data).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.device.type == "cuda", loss.device
    # Not silently eager: one graph, without a break.
    assert counters["stats"]["unique_graphs"] >= 1, counters["stats"]
    assert not counters["graph_break"], counters["graph_break"]


@checks.check
def train_mlp():
    train(mlp)


@checks.check
def train_conv_net():
    train(conv_net)


@checks.check
def train_transformer_layer():
    train(transformer_layer)


checks.run_all(torch.cuda.synchronize)
