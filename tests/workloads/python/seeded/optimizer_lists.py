#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adam updates lists of tensors (the default); repaired: fused=True."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = common.mlp(2048, 24)
    optimizer = torch.optim.AdamW(model.parameters(),
                                  fused=None if args.bug else True)
    batch = torch.zeros(512, 2048, device="cuda")

    def step(_: int) -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
