#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each image is augmented on the GPU by itself; repaired: all at once."""
import torch
from torch import nn

import common

WIDTH, IMAGES = 64, 64


def augmented(x: torch.Tensor, mean: torch.Tensor,
              deviation: torch.Tensor) -> torch.Tensor:
    x = (x.float() / 255).flip(-1)
    x = (x * 1.1 + 0.05).clamp(0, 1)
    return (x - mean) / deviation


def main() -> None:
    args = common.options(__doc__)
    model = nn.Sequential(
        nn.Flatten(), nn.Linear(3 * 128 * 128, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, 1000)).cuda()
    torch.set_float32_matmul_precision("high")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    images = torch.zeros(IMAGES, 3, 128, 128, device="cuda",
                         dtype=torch.uint8)
    mean = torch.zeros(3, 1, 1, device="cuda")
    deviation = torch.ones(3, 1, 1, device="cuda")

    def step(_: int) -> None:
        if args.bug:
            x = torch.stack([augmented(image, mean, deviation)
                             for image in images])
        else:
            x = augmented(images, mean, deviation)
        common.update(optimizer, model(x).square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
