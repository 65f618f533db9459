#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A deep narrow model launches tiny kernels; repaired: a CUDA graph."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = common.mlp(128, 24)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(64, 128, device="cuda")

    def forward_and_back() -> None:
        common.update(optimizer, model(batch).mean())

    if args.bug:
        common.train(lambda _: forward_and_back(), args.steps)
        return
    graph = common.captured(forward_and_back)
    common.train(lambda _: graph.replay(), args.steps)


if __name__ == "__main__":
    main()
