#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A softmax before a weighted loss of each row; repaired: logits."""
import torch
import torch.nn.functional as F

import common

WIDTH, CLASSES, ROWS = 1024, 32768, 4096


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(WIDTH, 2, outputs=CLASSES).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(ROWS, WIDTH, device="cuda", dtype=torch.bfloat16)
    classes = torch.zeros(ROWS, dtype=torch.long, device="cuda")
    weights = torch.ones(ROWS, device="cuda")

    def step(_: int) -> None:
        made = model(batch)
        if args.bug:
            made = made.softmax(-1)
        losses = F.cross_entropy(made, classes, reduction="none",
                                 label_smoothing=0.1)
        common.update(optimizer, (losses * weights).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
