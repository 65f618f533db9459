# SPDX-License-Identifier: Apache-2.0
"""Does cuDNN's autotuning choose between engines that differ?"""

import sys

import torch
from checks import check, random, run_all
from torch.profiler import ProfilerActivity, profile

# One image batch whose Winograd engine is the fastest and needs a workspace of
# 36 transformed points for each tile of 4 x 4: more than 100 MB.
CHANNELS, SIZE = 256, 28
WORKSPACE_BYTES = 100 << 20


def kernels_of(function):
    """[(name, microseconds)] of the kernels that a call launches, in order."""
    with profile(activities=[ProfilerActivity.CUDA],
                 acc_events=True) as profiler:
        function()
        torch.cuda.synchronize()
    return [(event.name, event.device_time) for event in profiler.events()
            if event.device_type == torch.autograd.DeviceType.CUDA]


def convolution(batch):
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    module = torch.nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)
    images = random(batch, CHANNELS, SIZE, SIZE)
    module = module.cuda().requires_grad_(False)
    return lambda: module(images)


def single_kernel_engines(kernels):
    """Times of the engines that are one kernel each."""
    marks = ("scudnn", "implicit_convolve")
    return {name: time for name, time in kernels
            if any(mark in name for mark in marks)}


@check
def benchmark_keeps_the_fastest_engine_it_tried():
    call = convolution(batch=32)
    tried = kernels_of(call)
    chosen = kernels_of(call)
    others = single_kernel_engines(tried)
    assert len(others) >= 3, tried
    names = {name for name, _ in chosen}
    assert names < {name for name, _ in tried}, chosen
    time = sum(dict(tried)[name] for name in names)
    assert time <= min(others.values()), (time, others)
    assert any("winograd_nonfused" in name for name in names), chosen


@check
def benchmark_passes_over_engines_whose_workspace_does_not_fit():
    call = convolution(batch=40)  # PyTorch remembers its choice by shape
    output_bytes = 4 * 40 * CHANNELS * SIZE * SIZE
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.empty_cache()
    allowed = torch.cuda.memory_reserved() + 2 * output_bytes + \
        WORKSPACE_BYTES // 4
    torch.cuda.set_per_process_memory_fraction(allowed / total)
    try:
        call()
        names = [name for name, _ in kernels_of(call)]
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert single_kernel_engines([(name, 0) for name in names]), names


sys.exit(run_all())
