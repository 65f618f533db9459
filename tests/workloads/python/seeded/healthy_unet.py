#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Segmentation whose convolutions take joined maps of two levels, autocast."""
import torch
import torch.nn.functional as F
from torch import nn

import common


def block(taken: int, made: int) -> nn.Sequential:
    layers = []
    for channels in (taken, made):
        layers += [nn.Conv2d(channels, made, 3, padding=1, bias=False),
                   nn.BatchNorm2d(made), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([block(3, 50), block(50, 100)])
        self.middle = block(100, 200)
        self.up = nn.ModuleList([block(300, 100), block(150, 50)])
        self.classes = nn.Conv2d(50, 21, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        maps = []
        for layer in self.down:
            maps.append(layer(x))
            x = F.max_pool2d(maps[-1], 2)
        x = self.middle(x)
        for layer in self.up:
            x = layer(torch.cat([F.interpolate(x, scale_factor=2),
                                 maps.pop()], 1))
        return self.classes(x)


def main() -> None:
    args = common.options(__doc__)
    model = UNet().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    images = torch.zeros(8, 3, 256, 256, device="cuda").to(
        memory_format=torch.channels_last)
    classes = torch.zeros(8, 256, 256, device="cuda", dtype=torch.long)

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(images), classes)
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
