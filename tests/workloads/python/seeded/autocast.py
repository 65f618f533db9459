#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products in FP32; repaired: autocast to bfloat16."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(4096, 4)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batch = torch.zeros(4096, 4096, device="cuda")

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16, enabled=not args.bug):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
