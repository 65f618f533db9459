#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains an LSTM translator step by step (NMT) on random sentences.

Luong et al. 2015 (arXiv:1508.04025): two LSTM layers each, the decoder fed
with its attentional state, so that it runs word by word from Python. Needs
only torch.
"""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    def __init__(self, words: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.cells = nn.ModuleList(
            nn.LSTMCell(2 * hidden if i == 0 else hidden, hidden)
            for i in range(layers))
        self.score = nn.Linear(hidden, hidden, bias=False)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)
        self.head = nn.Linear(hidden, words, bias=False)

    def forward(self, tokens: torch.Tensor, memory: torch.Tensor, state):
        """tokens T x B, memory B x S x H, state: h and c of each layer."""
        fed = torch.zeros_like(memory[:, 0])
        keys = self.score(memory)
        outputs = []
        for x in self.embedding(tokens):
            x = torch.cat([x, fed], -1)
            for i, cell in enumerate(self.cells):
                state[i] = cell(x, state[i])
                x = F.dropout(state[i][0], 0.2, self.training)
            scores = torch.bmm(keys, x[:, :, None]).squeeze(-1)
            context = torch.bmm(scores.softmax(-1)[:, None], memory).squeeze(1)
            fed = torch.tanh(self.combine(torch.cat([x, context], -1)))
            outputs.append(fed)
        return self.head(torch.stack(outputs))


class Translator(nn.Module):
    def __init__(self, words: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.encoder = nn.LSTM(hidden, hidden, layers, dropout=0.2)
        self.decoder = Decoder(words, hidden, layers)

    def forward(self, source: torch.Tensor, target: torch.Tensor):
        memory, (h, c) = self.encoder(self.embedding(source))
        return self.decoder(target, memory.transpose(0, 1), list(zip(h, c)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--length", type=int, default=25)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--words", type=int, default=17000)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = Translator(args.words, args.hidden, args.layers).to(args.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    source = torch.randint(args.words, (args.length, args.batch))
    target = torch.randint(args.words, (args.length + 1, args.batch))
    for step in range(args.steps):
        words, wanted = source.to(args.device), target.to(args.device)
        logits = model(words, wanted[:-1])
        loss = F.cross_entropy(logits.flatten(0, 1), wanted[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
