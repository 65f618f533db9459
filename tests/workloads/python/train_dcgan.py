#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a DCGAN (Radford et al. 2016) on random images; needs only torch."""
import argparse

import torch
from torch import nn


def generator(noise: int, width: int) -> nn.Module:
    layers = [nn.ConvTranspose2d(noise, width * 8, 4, 1, 0, bias=False)]
    for factor in (8, 4, 2):
        layers += [nn.BatchNorm2d(width * factor), nn.ReLU(True),
                   nn.ConvTranspose2d(width * factor, width * factor // 2,
                                      4, 2, 1, bias=False)]
    layers += [nn.BatchNorm2d(width), nn.ReLU(True),
               nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh()]
    return nn.Sequential(*layers)


def discriminator(width: int) -> nn.Module:
    layers = [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True)]
    for factor in (1, 2, 4):
        layers += [nn.Conv2d(width * factor, width * factor * 2, 4, 2, 1,
                             bias=False),
                   nn.BatchNorm2d(width * factor * 2), nn.LeakyReLU(0.2, True)]
    layers.append(nn.Conv2d(width * 8, 1, 4, 1, 0, bias=False))
    return nn.Sequential(*layers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--noise", type=int, default=100)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = args.device
    make = generator(args.noise, args.width).to(device)
    judge = discriminator(args.width).to(device)
    criterion = nn.BCEWithLogitsLoss()
    of_make = torch.optim.Adam(make.parameters(), 2e-4, betas=(0.5, 0.999))
    of_judge = torch.optim.Adam(judge.parameters(), 2e-4, betas=(0.5, 0.999))
    images = torch.randn(args.batch, 3, 64, 64)
    for step in range(args.steps):
        real = images.to(device)
        ones = torch.ones(args.batch, device=device)
        zeros = torch.zeros(args.batch, device=device)
        noise = torch.randn(args.batch, args.noise, 1, 1, device=device)
        fake = make(noise)
        of_judge.zero_grad()
        loss_judge = (criterion(judge(real).flatten(), ones) +
                      criterion(judge(fake.detach()).flatten(), zeros))
        loss_judge.backward()
        of_judge.step()
        of_make.zero_grad()
        loss_make = criterion(judge(fake).flatten(), ones)
        loss_make.backward()
        of_make.step()
        if (step + 1) % 10 == 0:
            print(f"step {step + 1} loss {loss_judge.item():.4f} "
                  f"{loss_make.item():.4f}")


if __name__ == "__main__":
    main()
