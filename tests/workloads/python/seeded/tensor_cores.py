#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products in FP32; repaired: TF32."""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    if not args.bug:
        torch.set_float32_matmul_precision("high")
    model = nn.Sequential(*(nn.TransformerEncoderLayer(
        512, 8, 2048, batch_first=True, dropout=0) for _ in range(2))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    batch = torch.zeros(16, 512, 512, device="cuda")

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
