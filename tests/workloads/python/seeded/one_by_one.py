#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Images go through the net one by one; repaired: as one batch."""
import torch
from torch import nn

import common

WIDTH, LAYERS, IMAGES = 64, 6, 32


def main() -> None:
    args = common.options(__doc__)
    rows = [nn.Conv2d(3, WIDTH, 7, 2, 3), nn.ReLU()]
    for _ in range(LAYERS):
        rows += [nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False),
                 nn.BatchNorm2d(WIDTH), nn.ReLU()]
    model = nn.Sequential(*rows, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(WIDTH, 1000)).cuda().half().eval()
    batch = torch.zeros(IMAGES, 3, 128, 128, device="cuda", dtype=torch.half)

    @torch.no_grad()
    def step(_: int) -> None:
        if args.bug:
            made = torch.cat([model(image[None]) for image in batch])
        else:
            made = model(batch)
        made.argmax(1).cpu()

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
