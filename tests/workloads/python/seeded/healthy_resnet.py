#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Residual blocks: channels_last, bfloat16, pinned batches copied ahead."""
import torch
from torch import nn

import common


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.body(x))


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(
        nn.Conv2d(3, 128, 7, stride=4), *(Block(128) for _ in range(3)),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 1000))
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9,
                                fused=True)
    images = torch.zeros(64, 3, 224, 224).to(
        memory_format=torch.channels_last).pin_memory()
    labels = torch.zeros(64, dtype=torch.long, device="cuda")
    aside = torch.cuda.Stream()

    def fetch() -> torch.Tensor:
        with torch.cuda.stream(aside):
            return images.cuda(non_blocking=True)

    ahead = [fetch()]

    def step(_: int) -> None:
        torch.cuda.current_stream().wait_stream(aside)
        batch = ahead.pop()
        batch.record_stream(torch.cuda.current_stream())
        ahead.append(fetch())
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(batch), labels)
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
