#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a WGAN (Arjovsky et al. 2017) on random images; needs only torch.

Five updates of the critic, whose weights are clipped, to one of the generator;
both are those of DCGAN for 64 x 64 pixels. A step is one generator's.
"""
import argparse

import torch

from train_dcgan import discriminator, generator


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--critics", type=int, default=5)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = args.device
    make = generator(100, 64).to(device)
    critic = discriminator(64).to(device)
    of_make = torch.optim.RMSprop(make.parameters(), lr=5e-5)
    of_critic = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
    images = torch.randn(args.batch, 3, 64, 64)
    if device != "cpu":
        images = images.pin_memory()

    def noise() -> torch.Tensor:
        return torch.randn(args.batch, 100, 1, 1, device=device)

    for step in range(args.steps):
        for _ in range(args.critics):
            real = images.to(device, non_blocking=True)
            with torch.no_grad():
                fake = make(noise())
            loss = critic(fake).mean() - critic(real).mean()
            of_critic.zero_grad()
            loss.backward()
            of_critic.step()
            with torch.no_grad():
                for weights in critic.parameters():
                    weights.clamp_(-0.01, 0.01)
        loss = -critic(make(noise())).mean()
        of_make.zero_grad()
        loss.backward()
        of_make.step()
    print(f"{args.steps} steps, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
