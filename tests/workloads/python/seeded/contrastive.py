#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two encoders with odd widths and batch in FP32; repaired: TF32."""
import torch
import torch.nn.functional as F

import common

PAIRS = 4099


def main() -> None:
    args = common.options(__doc__)
    if not args.bug:
        torch.set_float32_matmul_precision("high")
    images = common.mlp(1030, 5, inputs=2049, outputs=257)
    texts = common.mlp(1030, 5, inputs=770, outputs=257)
    optimizer = torch.optim.AdamW([*images.parameters(), *texts.parameters()],
                                  fused=True)
    image = torch.zeros(PAIRS, 2049, device="cuda")
    text = torch.zeros(PAIRS, 770, device="cuda")
    right = torch.arange(PAIRS, device="cuda")

    def step(_: int) -> None:
        left = F.normalize(images(image), dim=-1)
        scores = left @ F.normalize(texts(text), dim=-1).t()
        loss = F.cross_entropy(scores, right)
        common.update(optimizer, loss + F.cross_entropy(scores.t(), right))

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
