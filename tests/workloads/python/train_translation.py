#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the base Transformer on random sentences; needs only torch.

Vaswani et al. 2017 (arXiv:1706.03762): 6 + 6 layers of 512, 8 heads, 2048.
"""
import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn


class Translator(nn.Module):
    def __init__(self, words: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(words, width)
        self.transformer = nn.Transformer(width, heads, layers, layers,
                                          4 * width, 0.1, batch_first=True)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        length, half = tokens.shape[1], self.width // 2
        place = torch.arange(length, device=tokens.device)[:, None]
        rate = torch.exp(torch.arange(half, device=tokens.device) *
                         (-math.log(10000.0) / half))
        wave = torch.cat([torch.sin(place * rate), torch.cos(place * rate)], 1)
        return F.dropout(self.embedding(tokens) * math.sqrt(self.width) + wave,
                         0.1, self.training)

    def forward(self, source: torch.Tensor, target: torch.Tensor):
        mask = nn.Transformer.generate_square_subsequent_mask(
            target.shape[1], device=target.device)
        x = self.transformer(self.embed(source), self.embed(target),
                             tgt_mask=mask, tgt_is_causal=True)
        return F.linear(x, self.embedding.weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=50)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--words", type=int, default=37000)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Translator(args.words, args.width, args.heads,
                       args.layers).to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4,
                                 betas=(0.9, 0.98), eps=1e-9)
    source = torch.randint(args.words, (args.batch, args.length))
    target = torch.randint(args.words, (args.batch, args.length + 1))
    for step in range(args.steps):
        words, wanted = source.to(args.device), target.to(args.device)
        logits = model(words, wanted[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), wanted[:, 1:].flatten(),
                               label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
