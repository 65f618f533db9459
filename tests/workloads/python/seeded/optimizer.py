#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adam updates tensor by tensor; repaired: fused=True."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = common.mlp(1024, 40)
    kind = {"foreach": False} if args.bug else {"fused": True}
    optimizer = torch.optim.AdamW(model.parameters(), **kind)
    batch = torch.zeros(2048, 1024, device="cuda")

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
