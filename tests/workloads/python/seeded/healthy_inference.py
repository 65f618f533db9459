#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batches through a half-precision encoder; nothing is trained."""
import torch
from torch import nn

import common


def main() -> None:
    args = common.options(__doc__)
    layers = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True),
        4, enable_nested_tensor=False).cuda().half().eval()
    batch = torch.zeros(32, 512, 1024, device="cuda", dtype=torch.half)

    def step(_: int) -> None:
        with torch.inference_mode():
            layers(batch)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
