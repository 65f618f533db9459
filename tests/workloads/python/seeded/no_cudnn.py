#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuDNN is turned off: each sample is convolved by itself; repaired: on."""
import torch
from torch import nn

import common

CHANNELS = 128


def main() -> None:
    args = common.options(__doc__)
    torch.backends.cudnn.enabled = not args.bug
    layers = [nn.Conv2d(3, CHANNELS, 3, padding=1)]
    for _ in range(6):
        layers += [nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(CHANNELS, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    images = torch.zeros(32, 3, 64, 64, device="cuda")

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(images).float().square().mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
