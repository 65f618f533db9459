#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains with a known delay of the host at given places of every step.

usage: delays.py PLACES KIND MILLISECONDS STEPS   (KIND: busy, sleep)

PLACES are joined by commas. Prints how long the delays of each place took in
each step, in ms, as JSON: a busy machine stretches them.
"""
import json
import queue
import sys
import threading
import time

import torch
import torch.nn.functional as F
from torch import nn

PLACES = sys.argv[1].split(",")
KIND, STEPS = sys.argv[2], int(sys.argv[4])
SECONDS = float(sys.argv[3]) / 1000
BATCH, SIZE, SEQUENCE = 16, 32, 12
took_ms = {place: [0.0] for place in PLACES}  # a step each


def delay(place: str) -> None:
    """Keeps the thread from its work, on a CPU or asleep."""
    if place not in PLACES or SECONDS == 0:
        return
    begin = time.perf_counter()
    if KIND == "sleep":
        time.sleep(SECONDS)
    else:
        end = time.thread_time() + SECONDS
        while time.thread_time() < end:
            pass
    took_ms[place][-1] += (time.perf_counter() - begin) * 1e3


class Net(nn.Module):
    """One layer of each class that a delay may come before."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)  # counts its calls on the GPU
        self.embedding = nn.Embedding(10, 64)
        self.linear = nn.Linear(16 * SIZE * SIZE // 64, 64)
        self.lstm = nn.LSTM(64, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x, y):
        delay("conv")
        x = self.conv(x)
        delay("norm")
        x = F.avg_pool2d(F.relu(self.norm(x)), 8)
        x = x.flatten(1).unsqueeze(1).expand(-1, SEQUENCE, -1)
        delay("linear")
        x = F.relu(self.linear(x))
        delay("embedding")
        x = x + self.embedding(y).unsqueeze(1)
        delay("rnn")
        x, _ = self.lstm(x)
        q = x.view(BATCH, SEQUENCE, 4, 16).transpose(1, 2)
        delay("attention")
        x = F.scaled_dot_product_attention(q, q, q)
        x = F.relu(x.transpose(1, 2).reshape(BATCH, SEQUENCE, 64))
        delay("softmax")
        return self.head(F.softmax(x, -1).mean(1))


class Batches(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, i):
        if i % BATCH == 0:
            delay("loader")
            delay("worker")
        return torch.zeros(3, SIZE, SIZE), i % 10


def prefetched(batches):
    """The batches, read by a thread, one ahead of the step."""
    ready = queue.Queue(maxsize=1)

    def read():
        for batch in batches:
            delay("thread")
            ready.put(batch)
        ready.put(None)

    threading.Thread(target=read, daemon=True).start()
    while (batch := ready.get()) is not None:
        yield batch


def main() -> None:
    torch.manual_seed(0)
    net = Net().cuda()
    for parameter in net.parameters():  # the first step clears them as well
        parameter.grad = torch.zeros_like(parameter)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    optimizer.register_step_pre_hook(lambda *_: delay("optimizer"))
    batches = torch.utils.data.DataLoader(
        Batches(), BATCH, num_workers=1 if "worker" in PLACES else 0)
    if "thread" in PLACES:
        batches = prefetched(batches)

    for x, y in batches:
        optimizer.zero_grad(set_to_none=False)
        x, y = x.cuda(), y.cuda()
        loss = F.cross_entropy(net(x, y), y)
        if "wait" in PLACES:
            loss.item()
            delay("wait")
        loss.backward()
        optimizer.step()
        loss.item()
        delay("between")
        for times in took_ms.values():
            times.append(0.0)
    print(json.dumps(took_ms))


main()
