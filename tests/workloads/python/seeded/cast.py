#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accumulation casts all weights for each batch; repaired: once a step."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(4096, 6)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batches = torch.zeros(8, 64, 4096, device="cuda")

    def step(_: int) -> None:
        optimizer.zero_grad(set_to_none=True)
        if args.bug:
            for batch in batches:
                with torch.autocast("cuda", torch.bfloat16):
                    loss = model(batch).mean()
                loss.backward()
        else:
            with torch.autocast("cuda", torch.bfloat16):
                for batch in batches:
                    model(batch).mean().backward()
        optimizer.step()

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
