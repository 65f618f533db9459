# SPDX-License-Identifier: Apache-2.0
"""torch.compile with the backends that generate no code."""

import sys

import torch
from checks import check, random, run_all
from torch import nn


@check
def compiled_without_code_generation():
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU()).cuda()
    for backend in ("eager", "aot_eager", "cudagraphs"):
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=backend)
        for _ in range(3):
            compiled(random(4, 16)).sum().backward()


if __name__ == "__main__":
    sys.exit(run_all())
