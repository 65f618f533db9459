# SPDX-License-Identifier: Apache-2.0
"""Does the simulated GPU take the time that `dltap predict` models?

$DLTAP is the program.
"""

import csv
import json
import os
import subprocess
import sys

import torch
import torch.nn.functional as functional
from checks import check, clear_of_edges, random, run_all
from torch.profiler import ProfilerActivity, profile


def kernel_ms(function):
    """Sum over the kernels of a call, the second time."""
    function()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA],
                 acc_events=True) as profiler, clear_of_edges():
        function()
    return sum(event.device_time for event in profiler.events()
               if event.device_type == torch.autograd.DeviceType.CUDA) * 1e-3


def predicted_ms(**row):
    with open("ops.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    done = subprocess.run(
        [os.environ["DLTAP"], "predict", "--ops", "ops.csv", "--gpu",
         os.environ["DLTAP_SIM_GPU"], "--json"],
        capture_output=True, text=True, check=True)
    (result,) = json.loads(done.stdout)["rows"]
    return result["device_ms"]


def agree(simulated, predicted, tolerance=0.01):
    assert abs(simulated / predicted - 1) <= tolerance, (simulated, predicted)


@check
def products():
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        for b, m, n, k in ((16, 512, 256, 1024), (4, 1000, 2048, 512)):
            x, y = random(b, m, n, dtype=dtype), random(b, n, k, dtype=dtype)
            agree(kernel_ms(lambda: torch.bmm(x, y)),
                  predicted_ms(op="bmm", precision=name, b=b, m=m, n=n, k=k))


@check
def linear_layers():
    # Shapes that fill the GPU: PyTorch gives cuBLASLt little workspace for
    # splitting k, the prediction knows no limit.
    for name, dtype in (("fp32", torch.float32), ("fp16", torch.float16)):
        for m, n, k in ((4096, 1024, 4096), (8192, 2048, 1000)):
            layer = torch.nn.Linear(n, k).to("cuda", dtype)
            x = random(1, m, n, dtype=dtype)
            agree(kernel_ms(lambda: layer(x)),
                  predicted_ms(op="linear", precision=name, b=1, m=m, n=n,
                               k=k))


@check
def convolutions():
    torch.backends.cudnn.allow_tf32 = False
    for c, k, size, filter_size, stride in ((64, 64, 56, 3, 1),
                                            (128, 256, 28, 1, 2)):
        padding = filter_size // 2
        x = random(16, c, size, size, requires_grad=True)
        weight = random(k, c, filter_size, filter_size, requires_grad=True)
        row = dict(precision="fp32", w=size, h=size, c=c, n=16, k=k,
                   s=filter_size, r=filter_size, pad_w=padding, pad_h=padding,
                   stride_1=stride, stride_2=stride)

        def forward():
            return functional.conv2d(x, weight, None, stride, padding)

        agree(kernel_ms(forward), predicted_ms(op="conv_forward", **row))
        y = forward()
        grad = torch.empty_like(y)
        for op, inputs in (("conv_backward_data", x),
                           ("conv_backward_weight", weight)):
            agree(kernel_ms(lambda: torch.autograd.grad(
                y, inputs, grad, retain_graph=True)),
                predicted_ms(op=op, **row))


@check
def elementwise():
    for rows, width in ((4096, 1024), (65536, 4096)):
        x, y = random(rows, width), random(rows, width)
        for function, inputs, call in (("add", 2, lambda: x + y),
                                       ("relu", 1, lambda: torch.relu(x)),
                                       ("gelu", 1,
                                        lambda: functional.gelu(x))):
            agree(kernel_ms(call),
                  predicted_ms(op="elementwise", function=function,
                               inputs=inputs, b=rows, h=width))


@check
def rows():
    for count, width in ((8192, 768), (16384, 4096)):
        x = random(count, width)
        agree(kernel_ms(lambda: functional.layer_norm(x, (width,))),
              predicted_ms(op="layer_norm", b=count, h=width))
        agree(kernel_ms(lambda: torch.softmax(x, 1)),
              predicted_ms(op="softmax", b=count, h=width))


@check
def kernels_with_structs_for_arguments():
    """Each moves as much as an elementwise operation on so many inputs."""
    parameters = [random(1000, 1000) for _ in range(20)]
    gradients = [random(1000, 1000) for _ in range(20)]
    images, table = random(4096, 8192), random(50000, 1024)
    tokens = torch.randint(0, 50000, (64, 512), device="cuda")
    half = torch.zeros(2048, 8192, device="cuda", dtype=torch.float16)
    for call, rows, width, arrays in (
            (lambda: torch._foreach_add_(parameters, gradients), 20000, 1000,
             3),
            (lambda: torch._foreach_mul_(parameters, 2.0), 20000, 1000, 2),
            (lambda: torch.cat([images, images]), 8192, 8192, 2),
            (lambda: functional.embedding(tokens, table), 64 * 512, 1024,
             2)):
        agree(kernel_ms(call),
              predicted_ms(op="elementwise", inputs=arrays - 1, b=rows,
                           h=width), 0.02)
    # Transposed, a sector of 32 bytes is read for each element.
    for call, rows in ((lambda: images.t().contiguous(), 4096),
                       (lambda: half.t().contiguous(), 1024)):
        dense_ms = predicted_ms(op="elementwise", inputs=1, b=rows, h=8192)
        assert 1.5 * dense_ms < kernel_ms(call) < 8 * dense_ms
    # One array is read, next to nothing is written.
    agree(2 * kernel_ms(lambda: images.sum(1)),
          predicted_ms(op="elementwise", b=4096, h=8192), 0.05)


@check
def recurrent_layers():
    for cell, kind in (("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
        layer = kind(512, 512).cuda()
        x = random(50, 32, 512)
        agree(kernel_ms(lambda: layer(x)),
              predicted_ms(op="rnn_forward", cell=cell, hidden=512, batch=32,
                           timesteps=50, input=512), 0.05)


sys.exit(run_all())
