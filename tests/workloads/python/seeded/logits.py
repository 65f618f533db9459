#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Logits of many tokens are copied to FP32; repaired: the loss reads them."""
import torch
import torch.nn.functional as F

import common


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(2048, 7, outputs=65536).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(8192, 2048, device="cuda", dtype=torch.bfloat16)
    tokens = torch.zeros(8192, dtype=torch.long, device="cuda")

    def step(_: int) -> None:
        logits = model(batch)
        loss = F.cross_entropy(logits.float() if args.bug else logits, tokens)
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
