#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks that come late to each collective, and say when they came.

usage: torchrun ... late_ranks.py STEPS MILLISECONDS_OF_RANK_0 ...

In every step a pair of ranks exchanges (0 and 1, 2 and 3, ...), then all do.
Prints when each rank came to both, in ms, for each step.
"""
import json
import os
import sys
import time

import torch
import torch.distributed as dist


def main() -> None:
    steps = int(sys.argv[1])
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    late_s = float(sys.argv[2 + rank]) / 1e3
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    pairs = [dist.new_group([first, first + 1])
             for first in range(0, world, 2)]
    part = torch.zeros(1 << 18, device=device)
    whole = torch.zeros(1 << 19, device=device)
    for group in (pairs[rank // 2], None):  # connects the ranks
        dist.all_reduce(part[:1], group=group)
    torch.cuda.synchronize()
    came_ms = []
    for _ in range(steps):
        time.sleep(late_s)
        to_pair_ms = time.monotonic() * 1e3
        dist.all_gather_into_tensor(whole, part, group=pairs[rank // 2])
        came_ms.append((to_pair_ms, time.monotonic() * 1e3))
        dist.all_reduce(whole)
        torch.cuda.synchronize()
    # One write: the ranks share stdout.
    os.write(1, (json.dumps({"rank": rank, "came_ms": came_ms}) +
                 "\n").encode())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
