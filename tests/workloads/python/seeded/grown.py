#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.cat in each turn of a loop; repaired: a list, and one behind it."""
import torch

import common

WIDTH, PARTS, ROWS = 1024, 64, 2048


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(WIDTH, 4).bfloat16()
    batch = torch.zeros(PARTS, ROWS, WIDTH, device="cuda",
                        dtype=torch.bfloat16)

    @torch.no_grad()
    def step(_: int) -> None:
        if args.bug:
            made = batch.new_empty(0, WIDTH)
            for part in batch:
                made = torch.cat([made, model(part)])
        else:
            made = torch.cat([model(part) for part in batch])
        made.mean().item()

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
