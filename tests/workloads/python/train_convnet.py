#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a convolutional network of a paper on random images; only torch."""
import argparse

import torch
from torch import nn

from convnets import NETS

AUXILIARY_WEIGHT = 0.3  # Szegedy et al., 2014, section 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=NETS, default="alexnet")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    make, size = NETS[args.model]
    model = make().to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9,
                                weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    images = torch.randn(args.batch, 3, size, size)
    labels = torch.randint(1000, (args.batch,))
    if args.device != "cpu":
        images, labels = images.pin_memory(), labels.pin_memory()
    for step in range(args.steps):
        x = images.to(args.device, non_blocking=True)
        y = labels.to(args.device, non_blocking=True)
        logits = model(x)
        if isinstance(logits, list):
            loss = criterion(logits[0], y) + AUXILIARY_WEIGHT * sum(
                criterion(auxiliary, y) for auxiliary in logits[1:])
        else:
            loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
