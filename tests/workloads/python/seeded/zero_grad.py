#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gradients are added to zeros; repaired: the backward pass writes them."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(4096, 8).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(1024, 4096, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        optimizer.zero_grad(set_to_none=not args.bug)
        model(batch).mean().backward()
        optimizer.step()

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
