#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each step waits for its own copy; repaired: a stream copies the next one."""
import torch

import common


def main() -> None:
    args = common.options(__doc__)
    torch.set_float32_matmul_precision("high")
    images = torch.zeros(4096, 4096).pin_memory()
    model = common.mlp(4096, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    aside = torch.cuda.Stream()
    main_stream = torch.cuda.current_stream()

    def fetch() -> torch.Tensor:
        if args.bug:
            return images.cuda(non_blocking=True)
        with torch.cuda.stream(aside):
            return images.cuda(non_blocking=True)

    ahead = [] if args.bug else [fetch()]

    def step(_: int) -> None:
        if args.bug:
            batch = fetch()
        else:
            main_stream.wait_stream(aside)
            batch = ahead.pop()
            batch.record_stream(main_stream)
            ahead.append(fetch())
        common.update(optimizer, model(batch).mean())

    common.train(step, args.steps)


if __name__ == "__main__":
    main()
