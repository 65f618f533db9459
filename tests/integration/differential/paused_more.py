# SPDX-License-Identifier: Apache-2.0
"""More programs that may pause, as those of paused.py: text, graphs, workers."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from paused import batches, before_backward, nowhere
from programs import program, trainer


@program("more")
def paused_speech(device, at=nowhere):
    """Convolution, an LSTM and a CTC loss whose lengths are on the host."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(20, 32, 5, 2, 2)
            self.lstm = nn.LSTM(32, 32, batch_first=True)
            self.head = nn.Linear(32, 28)

        def forward(self, x):
            at("conv")
            x = F.relu(self.conv(x)).transpose(1, 2)
            at("rnn")
            x, _ = self.lstm(x)
            x = before_backward(x, at, "rnn:backward")
            at("gemm")
            x = self.head(x)
            at("softmax")
            return F.log_softmax(x, -1)

    model = Net().to(device)
    source = batches(at, (4, 20, 16), device=device)
    words = torch.randint(1, 28, (4, 3), device=device)
    frames, letters = torch.full((4,), 8), torch.full((4,), 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step():
        x, = next(source)
        scores = model(x).transpose(0, 1)
        loss = F.ctc_loss(scores, words, frames, letters)
        optimizer.zero_grad()
        loss.backward()
        at("optimizer")
        optimizer.step()
    return step


@program("more")
def paused_replays(device, at=nowhere):
    """A forward pass that is replayed as a graph twice a step, then a head."""
    body = nn.Sequential(nn.Linear(32, 64), nn.GELU(),
                         nn.Linear(64, 32)).to(device)
    head = nn.Linear(32, 4).to(device)
    x = torch.zeros(8, 32, device=device)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad():
        body(x)
        with torch.cuda.graph(graph):
            y = body(x)
    source = batches(at, (8, 32), device=device)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)

    def step():
        x.copy_(next(source)[0])
        at("gemm:first replay")
        graph.replay()
        x.copy_(y)
        at("gemm:second replay")
        graph.replay()
        at("gemm:head")
        loss = F.cross_entropy(head(y), torch.zeros(8, dtype=torch.long,
                                                    device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step


class Rows(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        return torch.full((32,), float(i)), i % 8


@program("more")
def paused_workers(device, at=nowhere):
    """Batches of two workers, pinned; more work for the host before each."""
    model = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.ReLU(),
                          nn.Linear(64, 8)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    rows = iter(DataLoader(Rows(), 16, num_workers=2, pin_memory=True))

    def step():
        x, y = next(rows)
        at("input")
        x = x.to(device, non_blocking=True)
        y = y.to(device, non_blocking=True)
        at("gemm")
        x = model[0](x)
        at("norm")
        loss = F.cross_entropy(model[3](model[2](model[1](x))), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        at("optimizer")
        optimizer.step()
    return step


@program("more")
def paused_reads(device, at=nowhere):
    """The loss is read in each step, and the host goes on after it."""
    model = nn.Sequential(nn.Embedding(64, 32), nn.Linear(32, 64), nn.Tanh(),
                          nn.Linear(64, 64)).to(device)
    words = torch.randint(64, (8, 16), device=device)

    def loss(model):
        at("between_steps")
        x = model[0](words)
        at("gemm")
        scores = model[3](model[2](model[1](x)))
        at("softmax")
        return F.cross_entropy(scores.flatten(0, 1), words.flatten())
    optimizer = torch.optim.Adam(model.parameters(), foreach=True)
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    train = trainer(model, loss, optimizer)

    def step():
        train()
        sum(p.grad.norm() for p in model.parameters()).item()
    return step


@program("code")
def paused_compiled(device, at=nowhere):
    """A compiled model between a pause and another one."""
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64),
                          nn.Linear(64, 32)).to(device)
    compiled = torch.compile(model)
    source = batches(at, (16, 32), device=device)

    def loss(_):
        x, = next(source)
        at("gemm:compiled")
        return before_backward(compiled(x), at, "gemm:backward"
                               ).square().mean()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    return trainer(model, loss, optimizer)
