#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wide MLP: autocast, a captured graph, nothing read back."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    model = common.mlp(4096, 6)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True,
                                  capturable=True)
    batch = torch.zeros(8192, 4096, device="cuda")

    def forward_and_back() -> None:
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(batch).mean()
        common.update(optimizer, loss)

    graph = common.captured(forward_and_back)
    common.train(lambda _: graph.replay(), args.steps)


if __name__ == "__main__":
    main()
