# SPDX-License-Identifier: Apache-2.0
"""Two processes that train together over the simulated NCCL."""

import os
import sys
import tempfile
import time

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
from torch import nn
from torch.distributed.fsdp import fully_shard

WORLD_SIZE = 2


def rank_main(rank, folder):
    torch.cuda.set_device(rank)
    store = distributed.FileStore(os.path.join(folder, "store"), WORLD_SIZE)
    distributed.init_process_group("nccl", store=store, rank=rank,
                                   world_size=WORLD_SIZE)
    x = torch.full((4,), float(rank + 1)).cuda()
    distributed.all_reduce(x)
    assert x.cpu().tolist() == [3.0] * 4, x
    parts = [torch.zeros(2).cuda() for _ in range(WORLD_SIZE)]
    distributed.all_gather(parts, torch.full((2,), float(rank)).cuda())
    assert [p.cpu().tolist() for p in parts] == [[0.0] * 2, [1.0] * 2]
    model = nn.parallel.DistributedDataParallel(nn.Linear(256, 256).cuda(),
                                                device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.randn(8, 256, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    train_sharded()
    reduce_beside_another_stream(rank)
    distributed.barrier()
    torch.cuda.synchronize()
    distributed.destroy_process_group()


def reduce_beside_another_stream(rank):
    """A late rank, and kernels on a stream that nobody waits for: the other
    rank still reads the sum that it asked for."""
    side = torch.cuda.Stream()
    weights = torch.randn(256, 256, device="cuda")
    for _ in range(3):
        if rank == 1:
            time.sleep(0.01)
        total = torch.tensor([1.0, 2.0, 3.0], device="cuda") * (rank + 1)
        distributed.all_reduce(total)
        with torch.cuda.stream(side):
            torch.mm(weights, weights)
        assert total.tolist() == [3.0, 6.0, 9.0], total


def train_sharded():
    """FSDP2: each rank holds a part of each parameter."""
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
    for layer in (model[0], model[2], model):
        fully_shard(layer)
    assert model[0].weight.to_local().shape == (64 // WORLD_SIZE, 64)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.randn(4, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(rank_main, args=(folder,), nprocs=WORLD_SIZE)
    print(f"ok   {WORLD_SIZE} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
