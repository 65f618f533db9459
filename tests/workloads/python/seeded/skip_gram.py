#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Word vectors with negative samples get dense gradients; repaired: sparse."""
import torch
import torch.nn.functional as F
from torch import nn

import common

WORDS = 1_000_000
PAIRS = 16384


def main() -> None:
    args = common.options(__doc__)
    words, contexts = (nn.Embedding(WORDS, 128, sparse=not args.bug).cuda()
                       for _ in range(2))
    optimizer = torch.optim.SGD([words.weight, contexts.weight], lr=0.1)
    word, context = torch.zeros(2, PAIRS, device="cuda", dtype=torch.long)
    others = torch.zeros(PAIRS, 10, device="cuda", dtype=torch.long)

    def step(_: int) -> None:
        of_word = words(word)
        right = F.logsigmoid((of_word * contexts(context)).sum(1))
        wrong = F.logsigmoid(-torch.bmm(contexts(others), of_word[:, :, None]))
        common.update(optimizer, -right.mean() - wrong.mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
