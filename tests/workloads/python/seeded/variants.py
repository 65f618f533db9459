#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One training program, with what people change between two runs of it."""
import argparse
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

WIDTH = 512
HEADS = 8
SEQUENCE = 256


class Block(nn.Module):
    """A transformer's layer."""

    def __init__(self, manual: bool):
        super().__init__()
        self.manual = manual
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                  nn.Linear(4 * WIDTH, WIDTH))

    def attend(self, q: torch.Tensor, k: torch.Tensor,
               v: torch.Tensor) -> torch.Tensor:
        if not self.manual:
            return functional.scaled_dot_product_attention(q, k, v)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        return scores.softmax(-1) @ v

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch = x.shape[0]
        qkv = self.qkv(self.norms[0](x))
        q, k, v = (part.view(batch, -1, HEADS, WIDTH // HEADS).transpose(1, 2)
                   for part in qkv.chunk(3, -1))
        made = self.attend(q, k, v).transpose(1, 2).reshape(x.shape)
        x = x + self.out(made)
        return x + self.wide(self.norms[1](x))


class Checkpointed(nn.Module):

    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.inner, x, use_reentrant=False)


def convnet(layers: int) -> nn.Sequential:
    rows = [nn.Conv2d(3, 64, 3, padding=1)]
    for _ in range(layers):
        rows += [nn.Conv2d(64, 64, 3, padding=1, bias=False),
                 nn.BatchNorm2d(64), nn.ReLU()]
    return nn.Sequential(*rows, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(64, 10))


class Recurrent(nn.Module):

    def __init__(self, layers: int):
        super().__init__()
        self.lstm = nn.LSTM(WIDTH, WIDTH, layers, batch_first=True)
        self.head = nn.Linear(WIDTH, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0])


def model_of(args: argparse.Namespace) -> nn.Module:
    if args.model == "convnet":
        model = convnet(args.layers)
    elif args.model == "lstm":
        model = Recurrent(args.layers)
    else:
        blocks = [Block(args.manual) for _ in range(args.layers)]
        if args.checkpoint:
            blocks = [Checkpointed(block) for block in blocks]
        model = nn.Sequential(*blocks)
    model = model.cuda()
    if args.channels_last:
        model = model.to(memory_format=torch.channels_last)
    return torch.compile(model) if args.compile else model


def batches(args: argparse.Namespace) -> Iterator[torch.Tensor]:
    shape = ((3, 64, 64) if args.model == "convnet"
             else (args.sequence, WIDTH))
    count = args.batch * args.steps * args.micro_batches
    data = TensorDataset(torch.zeros(1).expand(count, *shape))
    for (x,) in DataLoader(data, args.batch, num_workers=args.workers):
        x = x.cuda()
        yield (x.contiguous(memory_format=torch.channels_last)
               if args.channels_last else x)


def train(args: argparse.Namespace) -> None:
    model = model_of(args)
    optimizer = torch.optim.AdamW(model.parameters(),
                                  **{args.optimizer: True}
                                  if args.optimizer != "loop"
                                  else {"foreach": False})
    lots = batches(args)
    for _ in range(args.steps):
        for _ in range(args.micro_batches):
            with torch.autocast("cuda", torch.bfloat16, args.autocast):
                loss = model(next(lots)).float().square().mean()
            (loss / args.micro_batches).backward()
            if args.read:
                loss.item()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()


def infer(args: argparse.Namespace) -> None:
    model = model_of(args).eval()
    with torch.inference_mode():
        for x in batches(args):
            model(x)
    torch.cuda.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="transformer",
                        choices=["transformer", "convnet", "lstm"])
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--sequence", type=int, default=SEQUENCE)
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--optimizer", default="foreach",
                        choices=["loop", "foreach", "fused"])
    for flag in ("--autocast", "--channels-last", "--checkpoint", "--compile",
                 "--infer", "--manual", "--read"):
        parser.add_argument(flag, action="store_true")
    args = parser.parse_args()
    (infer if args.infer else train)(args)


if __name__ == "__main__":
    main()
