#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of 3,001 units, whose rows are no multiple of 16 bytes; repaired:
3,008 units."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    width = 3001 if args.bug else 3008
    model = common.mlp(width, 6, outputs=1000).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(8192, width, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).square().mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
