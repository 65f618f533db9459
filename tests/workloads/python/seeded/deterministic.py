#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's deterministic mode fills all memory that it takes; repaired: it
fills none."""
import os

import torch
from torch import nn

import common

WIDTH, HEADS, LAYERS = 1024, 16, 4


def main() -> None:
    args = common.options(__doc__)
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = args.bug
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH,
                                       batch_first=True)
    model = nn.TransformerEncoder(layer, LAYERS).cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(16, 512, WIDTH, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).float().square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
