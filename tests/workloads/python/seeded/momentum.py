#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SGD with momentum updates tensor by tensor; repaired: fused=True."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = common.mlp(1024, 40)
    kind = {"foreach": False} if args.bug else {"fused": True}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9,
                                weight_decay=1e-4, **kind)
    batch = torch.zeros(1024, 1024, device="cuda")

    def step(_: int) -> None:
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
