# SPDX-License-Identifier: Apache-2.0
"""Values that a program reads: kernels that compute, and the zero rule."""

import sys

import torch
from checks import check, random, run_all
from torch import nn

CUDA = {"device": "cuda"}


def expect(value, wanted):
    value = value.tolist() if isinstance(value, torch.Tensor) else value
    assert value == wanted, (value, wanted)


def spoil():
    """A kernel that does not compute, and may have written anywhere."""
    random(8, 8) @ random(8, 8)


@check
def fills_ranges_and_casts():
    expect(torch.ones(5, **CUDA).cpu(), [1.0] * 5)
    expect(torch.full((3,), 2.5, dtype=torch.half, **CUDA), [2.5] * 3)
    for dtype in (torch.int32, torch.int64, torch.float32, torch.float64,
                  torch.float16, torch.bfloat16, torch.int8, torch.uint8):
        expect(torch.arange(1, 9, 3, dtype=dtype, **CUDA), [1, 4, 7])
    expect(torch.arange(3.0, **CUDA).long(), [0, 1, 2])
    expect(torch.arange(3, **CUDA).bfloat16().float(), [0, 1, 2])
    expect(torch.arange(3, **CUDA).bool(), [False, True, True])
    expect(torch.arange(3, **CUDA).to(torch.int32).tolist(), [0, 1, 2])
    expect(int(torch.arange(3, **CUDA)[2]), 2)
    expect(repr(torch.ones(3, **CUDA)), "tensor([1., 1., 1.], device='cuda:0')")


@check
def strided_copies():
    x = torch.arange(6, **CUDA).view(2, 3)
    expect(x.t().contiguous(), [[0, 3], [1, 4], [2, 5]])
    expect(x.t().float().contiguous(), [[0, 3], [1, 4], [2, 5]])
    expect(torch.eye(3, **CUDA), torch.eye(3).tolist())
    y = torch.zeros(6, **CUDA)
    y[::2] = 1
    expect(y, [1, 0, 1, 0, 1, 0])


@check
def arithmetic():
    x = torch.arange(4, **CUDA)
    expect(x + 1, [1, 2, 3, 4])
    expect(5 - x, [5, 4, 3, 2])
    expect(x / 2, [0, 0.5, 1, 1.5])
    expect(x % 3, [0, 1, 2, 0])
    expect(x // 2, [0, 0, 1, 1])
    expect(x.half() * 1.5, [0, 1.5, 3, 4.5])
    expect(torch.maximum(x, torch.ones_like(x)), [1, 1, 2, 3])
    expect(x.float().clamp(1, 2), [1, 1, 2, 2])
    expect(torch.where(x > 1, 7, x), [0, 1, 7, 7])
    expect(x.masked_fill(x > 1, 9), [0, 1, 9, 9])
    expect(torch._foreach_add([x.float()], 1.0)[0], [1, 2, 3, 4])


@check
def comparisons_and_flags():
    x = torch.arange(3, **CUDA)
    expect(x > 1, [False, False, True])
    expect(x != 1, [True, False, True])
    expect(1 <= x, [False, True, True])
    expect(x.float() < torch.ones(3, **CUDA), [True, False, False])
    expect(~(x > 1), [True, True, False])
    expect(torch.logical_and(x, x > 1), [False, False, True])
    assert (x > 1).any() and not (x > 2).any() and (x < 3).all()
    odd = torch.tensor([1.0, float("inf"), float("nan")]).cuda()
    expect(odd.isfinite(), [True, False, False])
    expect(odd.isnan(), [False, False, True])
    assert torch.allclose(torch.zeros(5, **CUDA), torch.zeros(5, **CUDA))
    assert not torch.equal(torch.zeros(5, **CUDA), torch.ones(5, **CUDA))


@check
def reductions():
    x = torch.arange(6, **CUDA)
    assert x.sum().item() == 15 and x.max().item() == 5
    assert x.float().mean().item() == 2.5 and x.amin().item() == 0
    expect(x.view(2, 3).sum(0), [3, 5, 7])
    expect(x.view(2, 3).float().sum(1), [3, 12])
    expect((x.view(2, 3) > 1).all(1), [False, True])
    assert torch.ones(100_000, **CUDA).sum().item() == 100_000
    assert torch.ones(4, **CUDA).norm().item() == 2
    expect(x.cumsum(0), [0, 1, 3, 6, 10, 15])


@check
def sizes_that_depend_on_data():
    x = torch.arange(5, **CUDA)
    expect(x.nonzero(), [[1], [2], [3], [4]])
    expect(x[:4].view(2, 2).nonzero(), [[0, 1], [1, 0], [1, 1]])
    expect(x[x > 2], [3, 4])
    expect(x.masked_select(x > 2), [3, 4])
    expect(x[torch.tensor([4, 1], **CUDA)], [4, 1])
    assert x.count_nonzero().item() == 4
    assert torch.arange(100_000, **CUDA).nonzero().shape == (99_999, 1)
    expect(torch.tensor([3.0, -1, 3, 2, -1]).cuda().unique(), [-1, 2, 3])
    expect(torch.tensor([3, 1, 3]).cuda().unique(return_counts=True)[1], [1, 2])
    expect((torch.arange(50_000, **CUDA) > 100).long().unique(), [0, 1])


@check
def what_is_known_outlives_what_is_not_computed():
    x = torch.ones(5, **CUDA)
    spoil()
    assert x.sum().item() == 5
    torch.mm(random(5, 8), random(8, 1), out=x.view(5, 1))
    assert x.sum().item() == 0


@check
def what_was_not_computed_reads_as_zero():
    assert random(1000).nonzero().shape == (0, 1)
    loss = nn.functional.cross_entropy(random(4, 3),
                                       torch.zeros(4, **CUDA).long())
    assert loss.item() == 0 and not torch.isnan(loss)
    assert not (loss > 0).item()


def scales(steps, interval, infinite_at=None):
    layer = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda", growth_interval=interval)
    seen = []
    for step in range(steps):
        with torch.autocast("cuda", torch.float16):
            loss = layer(random(8, 8)).float().mean()
        scaler.scale(loss).backward()
        if step == infinite_at:
            layer.weight.grad.fill_(float("inf"))
        scaler.step(optimizer)
        scaler.update()
        spoil()
        seen.append(scaler.get_scale())
        optimizer.zero_grad()
    return seen


@check
def scale_of_mixed_precision():
    assert scales(3, 2000) == [65536.0] * 3
    assert scales(4, 2) == [65536.0, 131072.0, 131072.0, 262144.0]
    got = scales(3, 2000, infinite_at=1)
    assert got == [65536.0, 32768.0, 32768.0], got


@check
def captured_kernels_compute_at_each_replay():
    source = torch.arange(4.0).cuda()
    result = torch.zeros(4, **CUDA)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result.copy_(source * 2)
    for factor in (1, 3):
        source.copy_(torch.arange(4.0) * factor)
        graph.replay()
        expect(result, [2.0 * factor * i for i in range(4)])


if __name__ == "__main__":
    sys.exit(run_all())
