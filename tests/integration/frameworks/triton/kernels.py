# SPDX-License-Identifier: Apache-2.0
"""Triton: kernels of one's own."""

import checks
import torch
import triton
import triton.language as tl
from add import add_kernel
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(0, K, BK):
        inner = begin + tl.arange(0, BK)
        total += tl.dot(tl.load(a + rows[:, None] * K + inner[None, :]),
                        tl.load(b + inner[:, None] * K + columns[None, :]))
    tl.store(c + rows[:, None] * K + columns[None, :], total.to(tl.float16))


@triton.jit
def descriptor_kernel(source, target, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    column = tl.program_id(1) * BLOCK
    target.store([row, column], source.load([row, column]))


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (256, 1024)],
                 key=["n"])
@triton.jit
def tuned_kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) * 2, mask=mask)


@checks.check
def add():
    for dtype in (torch.float32, torch.float16, torch.int64):
        x = torch.ones(10000, device="cuda", dtype=dtype)
        add_kernel[(triton.cdiv(x.numel(), 1024),)](
            x, x, torch.empty_like(x), x.numel(), BLOCK=1024)


@checks.check
def matmul():
    a = torch.ones(256, 256, device="cuda", dtype=torch.float16)
    compiled = matmul_kernel[(4, 4)](a, a, torch.empty_like(a), 256, BM=64,
                                     BN=64, BK=32)
    assert len(compiled.asm["cubin"]) > 1000
    assert compiled.n_regs > 0


@checks.check
def tma_descriptors():
    a = torch.ones(256, 256, device="cuda", dtype=torch.float16)
    described = TensorDescriptor.from_tensor(a, [64, 64])
    descriptor_kernel[(4, 4)](described, TensorDescriptor.from_tensor(
        torch.empty_like(a), [64, 64]), BLOCK=64)


@checks.check
def autotuning():
    x = torch.ones(1 << 16, device="cuda")
    for _ in range(2):
        tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](
            x, torch.empty_like(x), x.numel())
    assert tuned_kernel.best_config is not None


@checks.check
def captured():
    x = torch.ones(1000, device="cuda")
    out = torch.empty_like(x)
    graph = torch.cuda.CUDAGraph()
    add_kernel[(1,)](x, x, out, 1000, BLOCK=1024)
    with torch.cuda.graph(graph):
        add_kernel[(1,)](x, x, out, 1000, BLOCK=1024)
    graph.replay()


checks.run_all(torch.cuda.synchronize)
