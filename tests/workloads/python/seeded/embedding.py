#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of which a step uses few rows get dense gradients; repaired: sparse.
"""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    table = nn.EmbeddingBag(4_000_000, 64, mode="sum",
                            sparse=not args.bug).cuda()
    model = common.mlp(2048, 6, inputs=64)
    optimizers = [torch.optim.SGD(table.parameters(), lr=0.1),
                  torch.optim.SGD(model.parameters(), lr=0.1, fused=True)]
    ids = torch.zeros(4096, 4, device="cuda", dtype=torch.long)

    def step(_: int) -> None:
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        model(table(ids)).mean().backward()
        for optimizer in optimizers:
            optimizer.step()

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
