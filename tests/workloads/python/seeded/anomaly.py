#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Anomaly mode was left on; repaired: off."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.autograd.set_detect_anomaly(args.bug)
    model = common.mlp(1024, 12).bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    batch = torch.zeros(4096, 1024, device="cuda", dtype=torch.bfloat16)

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
