#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens become one-hot rows that multiply a table; repaired: looked up."""
import torch
import torch.nn.functional as F
from torch import nn

import common

ROWS, WIDTH = 16384, 1024


def main() -> None:
    args = common.options(__doc__)
    table = nn.Parameter(torch.zeros(ROWS, WIDTH, device="cuda",
                                     dtype=torch.bfloat16))
    model = common.mlp(WIDTH, 6).bfloat16()
    optimizer = torch.optim.SGD([table, *model.parameters()], lr=0.1,
                                fused=True)
    tokens = torch.zeros(8192, dtype=torch.long, device="cuda")

    def step(_: int) -> None:
        x = (F.one_hot(tokens, ROWS).to(table.dtype) @ table if args.bug
             else F.embedding(tokens, table))
        common.update(optimizer, model(x).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
