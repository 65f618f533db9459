#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each layer's activation is read by .item(); repaired: kept on the GPU."""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    layers = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(16)).cuda()
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(2048, 1024, device="cuda")
    log = []

    def step(_: int) -> None:
        x = batch
        for layer in layers:
            x = torch.relu(layer(x))
            mean = x.detach().mean()
            log.append(mean.item() if args.bug else mean)
        common.update(optimizer, x.mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
