#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a little under torch.profiler; prints the kernels that it saw."""
import collections
import json

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(),
                          nn.Flatten(), nn.Linear(16 * 30 * 30, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    images = torch.randn(4, 3, 32, 32, device="cuda")

    def step() -> None:
        optimizer.zero_grad()
        model(images).sum().backward()
        optimizer.step()

    for _ in range(2):
        step()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU,
                             ProfilerActivity.CUDA]) as profiler:
        for _ in range(3):
            step()
        torch.cuda.synchronize()
    for _ in range(2):
        step()
    torch.cuda.synchronize()
    kernels = collections.Counter(
        event.name for event in profiler.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
        and not event.is_user_annotation)
    print(json.dumps(dict(sorted(kernels.items()))))


if __name__ == "__main__":
    main()
