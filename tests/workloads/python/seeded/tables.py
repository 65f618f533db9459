#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables are looked up one by one; repaired: all rows in one table."""
import torch
from torch import nn

import common

TABLES, ROWS, WIDTH, BATCH = 64, 10000, 32, 4096


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    count = TABLES if args.bug else 1
    tables = nn.ModuleList(nn.Embedding(TABLES * ROWS // count, WIDTH)
                           for _ in range(count)).cuda()
    model = common.mlp(512, 4, inputs=TABLES * WIDTH)
    optimizer = torch.optim.SGD([*tables.parameters(), *model.parameters()],
                                lr=0.1, fused=True)
    ids = torch.zeros(BATCH, TABLES, dtype=torch.long, device="cuda")
    offsets = torch.arange(TABLES, device="cuda") * ROWS

    def step(_: int) -> None:
        if args.bug:
            rows = torch.cat([table(ids[:, i])
                              for i, table in enumerate(tables)], 1)
        else:
            rows = tables[0](ids + offsets).flatten(1)
        common.update(optimizer, model(rows).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
