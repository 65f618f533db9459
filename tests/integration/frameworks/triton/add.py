# SPDX-License-Identifier: Apache-2.0
"""A kernel that the scripts here share."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets,
             tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask),
             mask=mask)
