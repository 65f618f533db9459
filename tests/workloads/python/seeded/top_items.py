#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sort of all scores for the first 20; repaired: torch.topk."""
import torch
from torch import nn

import common

WIDTH, ITEMS, QUERIES, BEST = 256, 100_000, 512, 20


def main() -> None:
    args = common.options(__doc__)
    model = nn.Linear(WIDTH, WIDTH).cuda().bfloat16()
    items = torch.zeros(ITEMS, WIDTH, device="cuda", dtype=torch.bfloat16)
    queries = torch.zeros(QUERIES, WIDTH, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def step(_: int) -> None:
        scores = model(queries) @ items.T
        if args.bug:
            best = scores.sort(-1, descending=True).values[:, :BEST]
        else:
            best = scores.topk(BEST).values
        best.float().softmax(-1).cumsum(-1)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
