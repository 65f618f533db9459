#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model of few tokens whose last layer has the embedding's weights.
"""
import torch
import torch.nn.functional as F
from torch import nn

import common

WIDTH = 1024


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(256_000, WIDTH)
        self.layer = nn.TransformerEncoderLayer(
            WIDTH, 16, 4 * WIDTH, batch_first=True, dropout=0)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.layer(self.words(ids)) @ self.words.weight.t()


def main() -> None:
    args = common.options(__doc__)
    model = Model().cuda().bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = torch.zeros(4, 512, device="cuda", dtype=torch.long)

    def step(_: int) -> None:
        scores = model(ids).flatten(0, 1)
        common.update(optimizer, F.cross_entropy(scores, ids.flatten()))

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
