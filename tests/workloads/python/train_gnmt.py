#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains an LSTM translator with attention (GNMT) on random sentences.

Wu et al. 2016 (arXiv:1609.08144): residual LSTM layers of 1024, the encoder's
first one in both directions, additive attention (Bahdanau et al. 2014) from
the decoder's first layer, whose context every decoder layer reads. Sentences
of one batch have one length; lengths differ between batches. Needs only torch.
"""
import argparse
import random

import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, words: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.first = nn.LSTM(hidden, hidden, bidirectional=True)
        self.second = nn.LSTM(2 * hidden, hidden)
        self.others = nn.ModuleList(nn.LSTM(hidden, hidden)
                                    for _ in range(layers - 2))
        self.dropout = nn.Dropout(0.2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.first(self.dropout(self.embedding(tokens)))[0]
        x = self.second(self.dropout(x))[0]
        for layer in self.others:
            x = x + layer(self.dropout(x))[0]
        return x


class Attention(nn.Module):
    """Scores v . tanh(W q + U k), of queries T x B x H on keys S x B x H."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.score = nn.Linear(hidden, 1, bias=False)

    def forward(self, queries: torch.Tensor, keys: torch.Tensor):
        q = self.query(queries).transpose(0, 1)[:, :, None]
        k = self.key(keys).transpose(0, 1)[:, None]
        scores = self.score(torch.tanh(q + k)).squeeze(-1)  # B x T x S
        context = torch.bmm(scores.softmax(-1), keys.transpose(0, 1))
        return context.transpose(0, 1)


class Decoder(nn.Module):
    def __init__(self, words: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.first = nn.LSTM(hidden, hidden)
        self.attention = Attention(hidden)
        self.others = nn.ModuleList(nn.LSTM(2 * hidden, hidden)
                                    for _ in range(layers - 1))
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(hidden, words)

    def forward(self, tokens: torch.Tensor, memory: torch.Tensor):
        x = self.first(self.dropout(self.embedding(tokens)))[0]
        context = self.attention(x, memory)
        for i, layer in enumerate(self.others):
            y = layer(torch.cat([self.dropout(x), context], -1))[0]
            x = x + y if i > 0 else y
        return self.head(x)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=25, help="mean")
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--words", type=int, default=32000)
    parser.add_argument("--fixed", action="store_true", help="one length")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    lengths = random.Random(0)
    encoder = Encoder(args.words, args.hidden, args.layers).to(args.device)
    decoder = Decoder(args.words, args.hidden, args.layers).to(args.device)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    for step in range(args.steps):
        spread = 0 if args.fixed else args.length // 4
        length = args.length + lengths.randint(-spread, spread)
        source = torch.randint(args.words, (length, args.batch))
        target = torch.randint(args.words, (length + 1, args.batch))
        source, target = source.to(args.device), target.to(args.device)
        logits = decoder(target[:-1], encoder(source))
        loss = F.cross_entropy(logits.flatten(0, 1), target[1:].flatten(),
                               label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 5.0)
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
