#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cudnn.benchmark with sizes that change; repaired: without it."""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    torch.backends.cudnn.benchmark = args.bug
    model = nn.Sequential(
        nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(),
        nn.Conv2d(64, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(64, 10))
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)

    def step(number: int) -> None:
        side = 96 + 2 * number
        batch = torch.zeros(32, 3, side, side, device="cuda").to(
            memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
