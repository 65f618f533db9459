#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One NumPy array makes all FP64; repaired: FP32 (TF32 products)."""
import numpy
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    batch = torch.from_numpy(numpy.zeros((2048, 1024))).cuda()
    model = common.mlp(1024, 8)
    if args.bug:
        model = model.to(batch.dtype)  # "expected Double but found Float"
    else:
        batch = batch.float()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
