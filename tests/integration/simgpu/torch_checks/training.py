# SPDX-License-Identifier: Apache-2.0
"""Training steps: optimizers, mixed precision, data loading."""

import sys

import torch
from checks import check, random, run_all
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def small_cnn():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(8 * 15 * 15, 10))


def train(model, make_batch, amp=False, steps=2):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for _ in range(steps):
        x, y = make_batch()
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            output = model(x)
            output = output[0] if isinstance(output, tuple) else output
            loss = nn.functional.cross_entropy(output.flatten(0, -2), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert loss.item() == 0.0  # never computed, never stale


def images():
    return random(4, 3, 32, 32), torch.randint(0, 10, (4,), device="cuda")


def sequences(width):
    return (random(12, 4, width),
            torch.randint(0, width, (48,), device="cuda"))


@check
def cnn():
    train(small_cnn(), images)
    train(small_cnn(), images, amp=True)


@check
def lstm():
    train(nn.LSTM(16, 16, 2), lambda: sequences(16))
    train(nn.LSTM(16, 16, 2), lambda: sequences(16), amp=True)


@check
def transformer():
    def layers():
        layer = nn.TransformerEncoderLayer(32, 4, 64)
        return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    train(layers(), lambda: sequences(32))
    train(layers(), lambda: sequences(32), amp=True)


@check
def transformer_inference_fast_path():
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).cuda().eval()
    with torch.no_grad():
        assert model(random(2, 7, 32)).shape == (2, 7, 32)


@check
def optimizers():
    model = nn.Linear(10, 10).cuda()
    for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
                 torch.optim.Adam, torch.optim.AdamW,
                 lambda p: torch.optim.AdamW(p, fused=True)):
        optimizer = make(model.parameters())
        model(random(2, 10)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


@check
def gradient_scaler():
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda", torch.float16):
        loss = model(random(8, 64)).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


@check
def loader_with_workers_and_pinned_memory():
    data = TensorDataset(torch.randn(64, 3, 32, 32),
                         torch.randint(0, 10, (64,)))
    model = small_cnn().cuda()
    batches = 0
    for x, y in DataLoader(data, 16, num_workers=2, pin_memory=True):
        assert x.is_pinned()
        output = model(x.cuda(non_blocking=True))
        target = y.cuda(non_blocking=True)
        nn.functional.cross_entropy(output, target).backward()
        batches += 1
    assert batches == 4


@check
def out_of_memory_is_reported():
    try:
        torch.empty(400 << 30, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError:
        return
    raise AssertionError("400 GiB fitted into the device")


if __name__ == "__main__":
    sys.exit(run_all())
