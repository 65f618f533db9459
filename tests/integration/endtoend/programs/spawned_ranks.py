#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of a job by itself, the last rank first, without a variable
that says which each is. Prints a line for each: pid, rank.

usage: spawned_ranks.py RANKS
"""
import multiprocessing
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def run(rank: int, ranks: int, store: str) -> None:
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{store}", rank=rank,
                            world_size=ranks)
    halves = [dist.new_group([r for r in range(ranks) if r % 2 == part])
              for part in (0, 1)]
    model = DistributedDataParallel(nn.Linear(256, 256).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        loss = model(torch.ones(64, 256, device="cuda")).mean()
        dist.all_reduce(loss.detach(), group=halves[rank % 2])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    os.write(1, f"{os.getpid()} {rank}\n".encode())
    dist.destroy_process_group()


def main() -> None:
    ranks = int(sys.argv[1])
    context = multiprocessing.get_context("spawn")
    store = os.path.join(os.environ["STORE"], "store")
    started = []
    for rank in reversed(range(ranks)):
        started.append(context.Process(target=run, args=(rank, ranks, store)))
        started[-1].start()
        time.sleep(0.1)
    for process in started:
        process.join()
        if process.exitcode != 0:
            sys.exit(1)


if __name__ == "__main__":
    main()
