#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model of nn.LSTM in FP16 weights, fused SGD."""
import torch
import torch.nn.functional as F
from torch import nn

import common


class Model(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.layers = nn.LSTM(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.words(tokens))[0])


def main() -> None:
    args = common.options(__doc__)
    model = Model(4096, 1024).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    tokens = torch.zeros(256, 48, dtype=torch.long, device="cuda")

    def step(_: int) -> None:
        logits = model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), tokens.flatten())
        common.update(optimizer, loss)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
