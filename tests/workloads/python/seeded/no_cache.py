#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each new token goes through all layers with all tokens before it; repaired:
their keys and values are kept."""
import torch
import torch.nn.functional as F
from torch import nn

import common

BATCH, HEADS, HEAD, LAYERS, PROMPT = 8, 16, 64, 6, 384
WIDTH = HEADS * HEAD


class Block(nn.Module):
    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.cache = torch.zeros(2, BATCH, HEADS, tokens, HEAD, device="cuda",
                                 dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor, place: int) -> torch.Tensor:
        tokens = x.shape[1]
        qkv = self.qkv(self.norm(x)).view(BATCH, tokens, 3, HEADS, HEAD)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        if tokens == 1:
            self.cache[0, :, :, place:place + 1] = k
            self.cache[1, :, :, place:place + 1] = v
            k, v = self.cache[:, :, :, :place + 1]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=tokens > 1)
        x = x + self.project(y.transpose(1, 2).reshape(BATCH, tokens, WIDTH))
        return x + self.narrow(F.gelu(self.wide(x)))


def main() -> None:
    args = common.options(__doc__)
    most = PROMPT + args.steps
    blocks = nn.ModuleList(Block(most) for _ in range(LAYERS))
    blocks.cuda().bfloat16()
    text = torch.zeros(BATCH, most, WIDTH, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def step(number: int) -> None:
        place = PROMPT + number
        x = text[:, :place + 1] if args.bug else text[:, place:place + 1]
        for block in blocks:
            x = block(x, place)

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
