#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each token copies all keys and values to append its own; repaired: written
into a cache made for all tokens."""
import torch
import torch.nn.functional as F
from torch import nn

import common

BATCH, HEADS, HEAD, LAYERS, PROMPT = 16, 16, 64, 8, 2048
WIDTH = HEADS * HEAD


class Block(nn.Module):
    def __init__(self, tokens: int, grows: bool) -> None:
        super().__init__()
        self.grows = grows
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        length = PROMPT if grows else tokens
        self.cache = [torch.zeros(BATCH, HEADS, length, HEAD, device="cuda",
                                  dtype=torch.bfloat16) for _ in range(2)]

    def keep(self, i: int, new: torch.Tensor, place: int) -> torch.Tensor:
        if self.grows:
            self.cache[i] = torch.cat([self.cache[i], new], 2)
            return self.cache[i]
        self.cache[i][:, :, place:place + 1] = new
        return self.cache[i][:, :, :place + 1]

    def forward(self, x: torch.Tensor, place: int) -> torch.Tensor:
        qkv = self.qkv(self.norm(x)).view(BATCH, 1, 3, HEADS, HEAD)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, self.keep(0, k, place),
                                           self.keep(1, v, place))
        return x + self.project(y.transpose(1, 2).reshape(BATCH, 1, WIDTH))


def main() -> None:
    args = common.options(__doc__)
    blocks = nn.ModuleList(Block(PROMPT + args.steps, args.bug)
                           for _ in range(LAYERS)).cuda().bfloat16()
    token = torch.zeros(BATCH, 1, WIDTH, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def step(number: int) -> None:
        x = token
        for block in blocks:
            x = block(x, PROMPT + number)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
