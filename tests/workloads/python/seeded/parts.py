#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One part of a batch after the other; repaired: all of it at once."""
import torch
from torch import nn

import common

WIDTH, HIDDEN, PARTS, ROWS = 512, 1024, 64, 128


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.GELU(),
                          nn.Linear(HIDDEN, WIDTH)).cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(PARTS, ROWS, WIDTH, device="cuda",
                        dtype=torch.bfloat16)

    def step(_: int) -> None:
        if args.bug:
            made = torch.empty_like(batch)
            for i in range(PARTS):
                made[i] = model(batch[i])
        else:
            made = model(batch)
        common.update(optimizer, made.float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
