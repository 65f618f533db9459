# SPDX-License-Identifier: Apache-2.0
"""What the programs of this folder share."""
import argparse
import os
from collections.abc import Callable

import torch
import torch.distributed as dist
from torch import nn


def options(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bug", action="store_true",
                        help="as slow as the first line of this help says")
    parser.add_argument("--steps", type=int, default=12)
    return parser.parse_args()


def mlp(width: int, layers: int, inputs: int | None = None,
        outputs: int | None = None) -> nn.Sequential:
    """Linear layers with ReLU between them, on the GPU."""
    widths = [inputs or width, *[width] * (layers - 1), outputs or width]
    rows = []
    for taken, made in zip(widths, widths[1:]):
        rows += [nn.Linear(taken, made), nn.ReLU()]
    return nn.Sequential(*rows[:-1]).cuda()


def update(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


def join_ranks() -> torch.device:
    """This rank's GPU, as torchrun tells it."""
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    return device


def captured(step: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """A graph of the step, which ran three times before, as PyTorch asks."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def train(step: Callable[[int], None], steps: int) -> None:
    for number in range(steps):
        step(number)
    torch.cuda.synchronize()
