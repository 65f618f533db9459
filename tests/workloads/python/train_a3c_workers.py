#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains A3C (Mnih et al. 2016) with several workers on one GPU.

Workers are threads or processes; each has its own agent on the GPU, sends its
gradients to the shared parameters in the host's memory, without a lock, and
fetches those. The game and the agent are train_a3c.py's. Needs only torch.
"""
import argparse
import threading

import torch
import torch.nn.functional as F
from torch import multiprocessing

from train_a3c import Agent, Game


def work(number: int, shared: Agent, args: argparse.Namespace) -> None:
    torch.manual_seed(number)
    game = Game(number)
    agent = Agent().to(args.device)
    optimizer = torch.optim.RMSprop(shared.parameters(), lr=1e-4)
    state = (torch.zeros(1, 256, device=args.device),) * 2
    for _ in range(args.steps):
        agent.load_state_dict(shared.state_dict())
        state = tuple(part.detach() for part in state)
        values, log_probabilities, rewards = [], [], []
        for _ in range(args.rollout):
            screen = game.screen()[None].to(args.device)
            value, logits, state = agent(screen, state)
            log_probability = F.log_softmax(logits, dim=1)
            action = int(log_probability.argmax(1).cpu()) % 6
            rewards.append(game.play(action))
            values.append(value.squeeze())
            log_probabilities.append(log_probability[0, action])
        gain, loss = 0.0, 0.0
        for i in reversed(range(args.rollout)):
            gain = 0.99 * gain + rewards[i]
            advantage = gain - values[i]
            loss = loss + advantage ** 2 - (log_probabilities[i] *
                                            advantage.detach())
        agent.zero_grad()
        loss.backward()
        for ours, theirs in zip(agent.parameters(), shared.parameters()):
            theirs.grad = ours.grad.cpu()
        optimizer.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10, help="of each worker")
    parser.add_argument("--rollout", type=int, default=20)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kind", choices=("processes", "threads"),
                        default="processes")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    shared = Agent()
    if args.kind == "processes":
        shared.share_memory()
        multiprocessing.spawn(work, (shared, args), args.workers)
    else:
        threads = [threading.Thread(target=work, args=(i, shared, args))
                   for i in range(args.workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"{args.workers} {args.kind} x {args.steps} updates")


if __name__ == "__main__":
    main()
