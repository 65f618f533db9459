#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a word-level LSTM language model on random text; needs only torch."""
import argparse

import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, words: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.lstm = nn.LSTM(hidden, hidden, layers, dropout=0.2)
        self.decoder = nn.Linear(hidden, words)

    def forward(self, tokens: torch.Tensor,
                state: tuple[torch.Tensor, torch.Tensor] | None):
        output, state = self.lstm(self.embedding(tokens), state)
        return self.decoder(output), state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--seq", type=int, default=35)
    parser.add_argument("--hidden", type=int, default=650)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--words", type=int, default=10000)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = LanguageModel(args.words, args.hidden, args.layers).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    criterion = nn.CrossEntropyLoss()
    text = torch.randint(args.words, (args.seq + 1, args.batch))
    state = None
    for step in range(args.steps):
        tokens = text.to(args.device)
        logits, state = model(tokens[:-1], state)
        state = tuple(part.detach() for part in state)
        loss = criterion(logits.view(-1, args.words), tokens[1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
