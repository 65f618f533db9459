#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A penalty over all weights in the loss; repaired: weight_decay."""
import torch
from torch import nn

import common

WIDTH, HEADS, LAYERS, ROWS, TOKENS = 384, 6, 12, 8, 196


def main() -> None:
    args = common.options(__doc__)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0,
                                       batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    model = model.cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True,
                                weight_decay=0 if args.bug else 2e-4)
    batch = torch.zeros(ROWS, TOKENS, WIDTH, device="cuda",
                        dtype=torch.bfloat16)

    def step(_: int) -> None:
        loss = model(batch).float().square().mean()
        if args.bug:
            loss = loss + 1e-4 * sum(weights.square().sum()
                                     for weights in model.parameters())
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
