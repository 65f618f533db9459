#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The training thread waits for storage itself; repaired: two workers do."""
import time

import torch
from torch.utils.data import DataLoader, Dataset

import common


class SlowStorage(Dataset):
    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(0.002)
        return torch.full((256,), float(index))


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    model = common.mlp(4096, 4, inputs=256)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = iter(DataLoader(SlowStorage(), batch_size=8, pin_memory=True,
                             num_workers=0 if args.bug else 2))

    def step(_: int) -> None:
        batch = next(loader).cuda(non_blocking=True)
        common.update(optimizer, model(batch.repeat(512, 1)).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
