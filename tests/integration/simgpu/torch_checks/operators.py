# SPDX-License-Identifier: Apache-2.0
"""Single operators, forward and backward."""

import os
import sys

import torch
import torch.nn.functional as functional
from checks import check, random, run_all
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


def backward(module, *inputs):
    output = module.cuda()(*inputs)
    output = output[0] if isinstance(output, tuple) else output
    output.sum().backward()
    for parameter in module.parameters():
        assert parameter.grad.shape == parameter.shape
    return output.shape


# Name, compute capability, SMs.
DEVICES = {"a100-80-sxm": ("NVIDIA A100-SXM4-80GB", (8, 0), 108),
           "a10": ("NVIDIA A10", (8, 6), 72),
           "l4": ("NVIDIA L4", (8, 9), 58),
           "h100-sxm": ("NVIDIA H100 80GB HBM3", (9, 0), 132),
           "b200": ("NVIDIA B200", (10, 0), 148)}


@check
def device_is_the_one_asked_for():
    properties = torch.cuda.get_device_properties(0)
    assert DEVICES[os.environ["DLTAP_SIM_GPU"]] == (
        properties.name, torch.cuda.get_device_capability(),
        properties.multi_processor_count)
    assert torch.backends.cudnn.version() >= 90000
    free, total = torch.cuda.mem_get_info()
    assert 16 << 30 < free <= total


@check
def matrix_products():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16,
                  torch.complex64):
        product = random(64, 128, dtype=dtype) @ random(128, 32, dtype=dtype)
        assert product.shape == (64, 32)
    assert torch.bmm(random(4, 64, 128), random(4, 128, 32)).shape == (4, 64, 32)
    assert torch.mv(random(64, 32), random(32)).shape == (64,)
    torch.dot(random(64), random(64)).item()


@check
def linear_with_bias():
    for dtype in (torch.float32, torch.bfloat16):
        x = random(8, 128, dtype=dtype)
        assert backward(nn.Linear(128, 64).to(dtype), x) == (8, 64)


@check
def fp8_product():
    a = torch.zeros(32, 32, device="cuda").to(torch.float8_e4m3fn)
    one = torch.tensor(1.0, device="cuda")
    try:
        product = torch._scaled_mm(a, a.t(), one, one, out_dtype=torch.bfloat16)
    except (RuntimeError, NotImplementedError) as error:
        # PyTorch itself refuses what has no such units.
        assert torch.cuda.get_device_capability() < (8, 9), error
    else:
        assert product.shape == (32, 32)


@check
def convolutions():
    assert backward(nn.Conv1d(4, 8, 3), random(2, 4, 20)) == (2, 8, 18)
    x = random(2, 3, 32, 32, requires_grad=True)
    assert backward(nn.Conv2d(3, 16, 3, padding=1), x) == (2, 16, 32, 32)
    assert x.grad.shape == x.shape
    assert backward(nn.Conv3d(4, 8, 3), random(2, 4, 8, 8, 8))[2:] == (6, 6, 6)
    assert backward(nn.ConvTranspose2d(4, 8, 3), random(2, 4, 8, 8))[1] == 8
    assert backward(nn.Conv2d(8, 8, 3, groups=8), random(2, 8, 8, 8))[1] == 8
    half = nn.Conv2d(8, 16, 3).to(torch.bfloat16)
    assert backward(half, random(2, 8, 9, 9, dtype=torch.bfloat16))[1] == 16


@check
def channels_last():
    x = random(2, 8, 16, 16).to(memory_format=torch.channels_last)
    layer = nn.Conv2d(8, 16, 3).to(memory_format=torch.channels_last).cuda()
    y = layer(x)
    assert y.is_contiguous(memory_format=torch.channels_last)
    y.sum().backward()
    assert layer.weight.grad.shape == layer.weight.shape


@check
def convolution_benchmark_mode():
    torch.backends.cudnn.benchmark = True
    try:
        assert backward(nn.Conv2d(3, 16, 3), random(2, 3, 40, 40))[1] == 16
    finally:
        torch.backends.cudnn.benchmark = False


@check
def convolution_without_tf32():
    with torch.backends.cudnn.flags(allow_tf32=False):
        assert backward(nn.Conv2d(3, 16, 3), random(2, 3, 24, 24))[1] == 16


@check
def normalisation():
    x = random(4, 8, 16, 16, requires_grad=True)
    backward(nn.BatchNorm2d(8), x)
    nn.BatchNorm2d(8).cuda().eval()(x)
    backward(nn.LayerNorm(32), random(4, 32))
    backward(nn.GroupNorm(2, 8), random(4, 8, 16, 16))


@check
def recurrent_networks():
    x = random(5, 3, 16)
    lstm = nn.LSTM(16, 32, 2, bidirectional=True, dropout=0.1)
    assert backward(lstm, x) == (5, 3, 64)
    assert backward(nn.LSTM(16, 32, 2, proj_size=8), x) == (5, 3, 8)
    assert backward(nn.LSTM(16, 32, bias=False), x) == (5, 3, 32)
    assert backward(nn.GRU(16, 32), x) == (5, 3, 32)
    assert backward(nn.RNN(16, 32), x) == (5, 3, 32)
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 3, 2]))
    output, _ = nn.LSTM(16, 8).cuda()(packed)
    padded, _ = nn.utils.rnn.pad_packed_sequence(output)
    assert padded.shape == (5, 3, 8)


def attention(backend):
    q, k, v = (random(2, 4, 128, 64, dtype=torch.bfloat16, requires_grad=True)
               for _ in range(3))
    with sdpa_kernel(backend):
        output = functional.scaled_dot_product_attention(q, k, v,
                                                         is_causal=True)
    output.sum().backward()
    assert q.grad.shape == q.shape


@check
def attention_flash():
    attention(SDPBackend.FLASH_ATTENTION)


@check
def attention_memory_efficient():
    attention(SDPBackend.EFFICIENT_ATTENTION)


@check
def attention_cudnn():
    attention(SDPBackend.CUDNN_ATTENTION)


@check
def attention_math():
    attention(SDPBackend.MATH)


@check
def small_operators():
    embedding = nn.Embedding(100, 32).cuda()
    x = embedding(torch.randint(0, 100, (4, 8), device="cuda"))
    x = functional.dropout(functional.gelu(functional.layer_norm(x, (32,))))
    x.softmax(-1).sum().backward()
    assert embedding.weight.grad.shape == (100, 32)
    x = functional.max_pool2d(functional.relu(random(4, 8, 16, 16)), 2)
    assert x.shape == (4, 8, 8, 8)


@check
def sorts_and_data_dependent_sizes():
    x = random(1000)
    assert x.sort()[0].shape == (1000,)
    assert x.topk(5)[0].shape == (5,)
    # Counts of what nobody computed are zero.
    assert x.nonzero().shape == (0, 1)
    assert x[x > 0].shape == (0,)
    assert torch.randint(0, 5, (100,), device="cuda").unique().shape == (5,)


@check
def fourier_transforms():
    assert torch.fft.fft(random(64)).shape == (64,)
    assert torch.fft.rfft2(random(8, 16, 16)).shape == (8, 16, 9)


@check
def linear_algebra():
    a = random(4, 4)
    assert torch.linalg.solve(a, a).shape == (4, 4)
    assert torch.linalg.svd(a)[0].shape == (4, 4)
    assert torch.linalg.cholesky_ex(a)[0].shape == (4, 4)


@check
def sparse_matrix_product():
    sparse = torch.eye(8).to_sparse_csr().cuda()
    assert (sparse @ random(8, 4)).shape == (8, 4)


@check
def kernel_compiled_at_run_time():
    plus_one = torch.cuda.jiterator._create_jit_fn(
        "template <typename T> T plus_one(T x) { return x + 1; }")
    assert plus_one(random(4)).shape == (4,)


if __name__ == "__main__":
    sys.exit(run_all())
