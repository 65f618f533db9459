# SPDX-License-Identifier: Apache-2.0
"""Programs that may pause, as those of paused.py, of several threads."""

import queue
import threading

import torch
import torch.nn.functional as F
from torch import nn

from paused import nowhere
from programs import program, trainer


def head(device):
    return nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.GELU(),
                         nn.Linear(64, 8)).to(device)


@program("more")
def paused_handed(device, at=nowhere):
    """A thread of each step's own prepares the batch on the GPU."""
    model, filters = head(device), nn.Linear(32, 32).to(device)
    batch = torch.zeros(16, 32, device=device)

    def prepared():
        out = []

        def prepare():
            with torch.no_grad():
                out.append(filters(batch))
        thread = threading.Thread(target=prepare)
        thread.start()
        thread.join()
        return out[0]

    def loss(model):
        x = prepared()
        at("gemm")
        x = model[0](x)
        at("norm")
        return model[3](model[2](model[1](x))).square().mean()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    return trainer(model, loss, optimizer)


@program("more")
def paused_relay(device, at=nowhere):
    """More threads than are followed, each with a layer of its own."""
    count = 20
    layers = [nn.Linear(32, 32).to(device) for _ in range(count)]
    waiting = [queue.Queue() for _ in range(count)]
    done = queue.Queue()

    def serve(i):
        while True:
            x = waiting[i].get()
            with torch.no_grad():
                at(f"gemm:{i}")
                done.put(torch.relu(layers[i](x)))
    for i in range(count):
        threading.Thread(target=serve, args=(i,), daemon=True).start()
    model = head(device)
    x = torch.zeros(16, 32, device=device)

    def loss(model):
        y = x
        for work in waiting:
            work.put(y)
            y = done.get()
        return F.cross_entropy(model(y), torch.zeros(16, dtype=torch.long,
                                                     device=device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return trainer(model, loss, optimizer)
