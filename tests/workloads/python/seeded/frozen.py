#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers that are not trained get gradients; repaired: they need none."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    backbone = common.mlp(2048, 8).bfloat16().requires_grad_(args.bug)
    head = common.mlp(2048, 2).bfloat16()
    optimizer = torch.optim.AdamW(head.parameters(), fused=True)
    batch = torch.zeros(8192, 2048, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        backbone.zero_grad(set_to_none=True)
        common.update(optimizer, head(backbone(batch)).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
