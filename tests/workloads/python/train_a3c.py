#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains an actor-critic agent (after A3C, Mnih et al. 2016) on a toy game.

Many small inferences, a game on the CPU between them, a little training: the
kind of program whose GPU waits for its host. Needs only torch.
"""
import argparse

import torch
import torch.nn.functional as F
from torch import nn


class Game:
    """A ball moves over a 42 x 42 screen; the player steers it to the middle."""

    def __init__(self, seed: int) -> None:
        self.random = torch.Generator().manual_seed(seed)
        self.place = torch.rand(2, generator=self.random) * 41

    def screen(self) -> torch.Tensor:
        axis = torch.arange(42.0)
        rows = (axis - self.place[0]).abs() < 2
        columns = (axis - self.place[1]).abs() < 2
        return (rows[:, None] & columns[None, :]).float()[None]

    def play(self, action: int) -> float:
        moves = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1))
        drift = torch.randn(2, generator=self.random)
        self.place = (self.place + torch.tensor(moves[action]) + drift).clamp(0, 41)
        return -float((self.place - 21).abs().sum()) / 42


class Agent(nn.Module):
    def __init__(self, actions: int = 6) -> None:
        super().__init__()
        self.convs = nn.Sequential(*(
            layer for channels in (1, 32, 32, 32)
            for layer in (nn.Conv2d(channels, 32, 3, 2, 1), nn.ELU())))
        self.lstm = nn.LSTMCell(32 * 3 * 3, 256)
        self.critic = nn.Linear(256, 1)
        self.actor = nn.Linear(256, actions)

    def forward(self, screen: torch.Tensor, state):
        state = self.lstm(self.convs(screen).flatten(1), state)
        return self.critic(state[0]), self.actor(state[0]), state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10, help="updates")
    parser.add_argument("--rollout", type=int, default=20)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    game = Game(0)
    agent = Agent().to(args.device)
    optimizer = torch.optim.Adam(agent.parameters(), 1e-4)
    zeros = torch.zeros(1, 256, device=args.device)
    state = (zeros, zeros)
    for step in range(args.steps):
        state = tuple(part.detach() for part in state)
        values, log_probabilities, rewards = [], [], []
        for _ in range(args.rollout):
            screen = game.screen()[None].to(args.device)
            value, logits, state = agent(screen, state)
            log_probability = F.log_softmax(logits, dim=1)
            action = int(log_probability.argmax(1).cpu())
            rewards.append(game.play(action % 6))
            values.append(value)
            log_probabilities.append(log_probability[0, action % 6])
        gain = torch.zeros((), device=args.device)
        loss = torch.zeros((), device=args.device)
        for i in reversed(range(args.rollout)):
            gain = 0.99 * gain + rewards[i]
            advantage = gain - values[i].squeeze()
            loss = loss + advantage.pow(2) - log_probabilities[i] * advantage.detach()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{args.steps} updates, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
