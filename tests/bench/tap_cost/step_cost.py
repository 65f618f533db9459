#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""step_cost.py [--gpu real|sim:NAME] DLTAP [PAIRS]: what recording adds to a
PyTorch step.

Each model trains in one process under `dltap run`. Recording is off and on in
turn (cudaProfilerStart, Stop), PAIRS times (20), a few steps each; the order
within a pair alternates. The table shows the median of the pairs' ratios and,
by their ranks, its 95 % interval: a row whose interval holds 0 shows no cost.
Needs an interpreter with torch. Costs of CUPTI are those of --gpu real alone.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = 6  # of each half of a pair; the first is not counted


def resnet50(torch):
    from torch import nn

    class Block(nn.Module):
        def __init__(self, inner, width, stride):
            super().__init__()
            outer = 4 * width
            self.body = nn.Sequential(
                nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width),
                nn.ReLU(inplace=True),
                nn.Conv2d(width, width, 3, stride, 1, bias=False),
                nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                nn.Conv2d(width, outer, 1, bias=False), nn.BatchNorm2d(outer))
            self.way = nn.Identity() if inner == outer and stride == 1 else (
                nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False),
                              nn.BatchNorm2d(outer)))

        def forward(self, x):
            return torch.relu(self.body(x) + self.way(x))

    layers, inner = [nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(),
                     nn.MaxPool2d(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2),
                                 (512, 3, 2)):
        for i in range(count):
            layers.append(Block(inner, width, stride if i == 0 else 1))
            inner = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000)]
    return nn.Sequential(*layers), lambda: torch.randn(32, 3, 224, 224)


def lstm(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = torch.nn.LSTM(256, 512, 2, batch_first=True)
            self.head = torch.nn.Linear(512, 1000)

        def forward(self, x):
            return self.head(self.rnn(x)[0][:, -1])

    return Model(), lambda: torch.randn(64, 100, 256)


def encoder(torch, width, layers, batch, length):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.TransformerEncoder(
                torch.nn.TransformerEncoderLayer(
                    width, 8, 4 * width, batch_first=True), layers)
            self.head = torch.nn.Linear(width, 1000)

        def forward(self, x):
            return self.head(self.body(x)[:, 0])

    return Model(), lambda: torch.randn(batch, length, width)


MODELS = {
    "ResNet-50, batch 32": resnet50,
    "LSTM, 2 x 512": lstm,
    "Transformer, 6 x 512, batch 32 x 128":
        lambda torch: encoder(torch, 512, 6, 32, 128),
    "BERT at launch-bound size, 4 x 128, batch 2 x 32":
        lambda torch: encoder(torch, 128, 4, 2, 32),
}


def measure(name, pairs):
    """In the traced process: prints the ratios, one a line."""
    import torch
    model, batch = MODELS[name](torch)
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    runtime = torch.cuda.cudart()
    inputs = batch().cuda()

    def step():
        output = model(inputs)
        loss = output.float().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()

    def half(recorded):
        if recorded:
            runtime.cudaProfilerStart()
        step()
        times = []
        for _ in range(STEPS - 1):
            begin = time.perf_counter()
            step()
            times.append(time.perf_counter() - begin)
        if recorded:
            runtime.cudaProfilerStop()
        return statistics.median(times)

    for _ in range(3):
        step()
    half(True)
    for pair in range(pairs):
        first = half(pair % 2 == 0)
        second = half(pair % 2 != 0)
        on, off = (first, second) if pair % 2 == 0 else (second, first)
        print(on / off, off * 1e3, flush=True)


def interval(ratios):
    """The median, and the ratios between which it lies with 95 %: of those
    above it there are half, give or take 1.96 standard deviations."""
    ratios = sorted(ratios)
    rank = int((len(ratios) - 1.96 * math.sqrt(len(ratios))) / 2)
    rank = max(rank, 0)
    return statistics.median(ratios), ratios[rank], ratios[-1 - rank]


def main():
    if sys.argv[1] == "--measure":
        return measure(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="sim:h100-sxm")
    parser.add_argument("dltap")
    parser.add_argument("pairs", nargs="?", default="20")
    args = parser.parse_args()
    print(f"{'model':50} level    step ms   cost %   95 % interval")
    for name in MODELS:
        for level in ("host", "kernels"):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [args.dltap, "run", "--gpu", args.gpu, "--level", level,
                     "--no-report", "-o", f"{folder}/run", "--",
                     sys.executable, __file__, "--measure", name, args.pairs],
                    env=os.environ | {"DLTAP_START": "off",
                                      "DLTAP_STEP_DOWN": "off"},
                    capture_output=True, text=True, check=True)
            rows = [line.split() for line in done.stdout.splitlines()]
            middle, low, high = interval([float(ratio) for ratio, _ in rows])
            step_ms = statistics.median(float(ms) for _, ms in rows)
            print(f"{name:50} {level:8} {step_ms:6.2f} {100 * (middle - 1):8.2f}"
                  f"   {100 * (low - 1):.2f} .. {100 * (high - 1):.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
