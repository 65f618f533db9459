#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains Deep Speech 2 on random speech; needs only torch.

Amodei et al. 2015 (arXiv:1512.02595): two convolutions over spectrograms of
161 x time, seven recurrent layers of 1760 in both directions (ReLU, batch norm
over the sequence between them), CTC. Utterances differ in length between
batches, as LibriSpeech's sorted ones do; work is counted in seconds of audio.
"""
import argparse
import random

import torch
import torch.nn.functional as F
from torch import nn

FRAMES_PER_SECOND = 100


class Recurrent(nn.Module):
    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs)
        self.rnn = nn.RNN(inputs, hidden, nonlinearity="relu",
                          bidirectional=True, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        frames, batch, width = x.shape
        x = self.norm(x.reshape(frames * batch, width))
        x, _ = self.rnn(x.view(frames, batch, width))
        return sum(x.chunk(2, -1))  # both directions


class DeepSpeech2(nn.Module):
    def __init__(self, hidden: int, layers: int, letters: int = 29) -> None:
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(1, 32, (41, 11), (2, 2), (20, 5), bias=False),
            nn.BatchNorm2d(32), nn.Hardtanh(0, 20, inplace=True),
            nn.Conv2d(32, 32, (21, 11), (2, 1), (10, 5), bias=False),
            nn.BatchNorm2d(32), nn.Hardtanh(0, 20, inplace=True))
        self.layers = nn.Sequential(*(
            Recurrent(32 * 41 if i == 0 else hidden, hidden)
            for i in range(layers)))
        self.head = nn.Linear(hidden, letters)

    def forward(self, spectrograms: torch.Tensor) -> torch.Tensor:
        x = self.convs(spectrograms).flatten(1, 2)  # batch x features x frames
        return self.head(self.layers(x.permute(2, 0, 1))).log_softmax(-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=10, help="mean")
    parser.add_argument("--fixed", action="store_true", help="one length")
    parser.add_argument("--hidden", type=int, default=1760)
    parser.add_argument("--layers", type=int, default=7)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    lengths = random.Random(0)
    model = DeepSpeech2(args.hidden, args.layers).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.99,
                                nesterov=True)
    audio_s = 0
    for step in range(args.steps):
        spread = 0 if args.fixed else args.seconds // 3
        seconds = args.seconds + lengths.randint(-spread, spread)
        frames = seconds * FRAMES_PER_SECOND
        speech = torch.randn(args.batch, 1, 161, frames)
        letters = torch.randint(1, 29, (args.batch, seconds * 12))
        out = model(speech.to(args.device))
        loss = F.ctc_loss(
            out, letters.to(args.device),
            torch.full((args.batch,), out.shape[0]),
            torch.full((args.batch,), letters.shape[1]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 400.0)
        optimizer.step()
        audio_s += args.batch * seconds
    print(f"{args.steps} steps, {audio_s} s of audio, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
