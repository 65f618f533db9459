# SPDX-License-Identifier: Apache-2.0
"""More programs that may pause, by the loop around the model; see paused.py.
"""

import queue
import threading

import torch
import torch.nn.functional as F
from torch import nn

from paused import batches, before_backward, nowhere
from programs import program, trainer


@program("more")
def paused_triplets(device, at=nowhere):
    """One network sees three images before a loss of distances."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 16, 5, 2)
            self.out = nn.Linear(16 * 49, 16)

        def forward(self, x, which):
            at(f"conv:{which}")
            x = F.relu(self.conv(x))
            at(f"pool:{which}")
            x = F.max_pool2d(x, 2)
            at(f"gemm:{which}")
            return self.out(x.flatten(1))

    model = Net().to(device)
    source = batches(at, *(3 * [(8, 1, 32, 32)]), device=device)

    def loss(model):
        three = [model(x, i) for i, x in enumerate(next(source))]
        return F.triplet_margin_loss(*three)
    return trainer(model, loss, torch.optim.SGD(model.parameters(), lr=0.1))


@program("more")
def paused_tasks(device, at=nowhere):
    """A trunk with three heads, a loss each, clipped gradients."""
    trunk = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16),
                          nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    heads = nn.ModuleList([nn.Linear(16, n) for n in (10, 1, 4)])
    model = nn.ModuleList([trunk, heads]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    source = batches(at, (8, 3, 32, 32), device=device, pinned=True)
    kinds = torch.randint(10, (8,), device=device)
    values, boxes = (torch.randn(8, n, device=device) for n in (1, 4))

    def step():
        optimizer.zero_grad()
        x, = next(source)
        at("conv")
        x = model[0](x)
        outs = []
        for i, head in enumerate(model[1]):
            at(f"gemm:{i}")
            outs.append(before_backward(head(x), at, f"gemm:backward {i}"))
        loss = (F.cross_entropy(outs[0], kinds) +
                F.mse_loss(outs[1], values) +
                F.smooth_l1_loss(outs[2], boxes))
        loss.backward()
        at("reduction:clip")
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        at("optimizer")
        optimizer.step()
    return step


@program("more")
def paused_accumulation(device, at=nowhere):
    """Three batches before an update, under autocast."""
    model = nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.GELU(),
                          nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    source = batches(at, (16, 32), device=device)
    y = torch.randint(10, (16,), device=device)

    def step():
        for i in range(3):
            x, = next(source)
            with torch.autocast(device, dtype=torch.bfloat16):
                at(f"gemm:{i}")
                x = model[0](x)
                at(f"norm:{i}")
                x = model[3](model[2](model[1](x)))
            (F.cross_entropy(x.float(), y) / 3).backward()
        at("optimizer")
        optimizer.step()
        optimizer.zero_grad()
    return step


@program("more")
def paused_closure(device, at=nowhere):
    """L-BFGS asks for the loss several times a step."""
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32),
                          nn.Tanh(), nn.Linear(32, 1)).to(device)
    x = torch.randn(64, 2, device=device)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3,
                                  tolerance_grad=0, tolerance_change=0)

    def closure():
        optimizer.zero_grad()
        at("gemm:first")
        hidden = model[1](model[0](x))
        at("gemm:second")
        loss = model[4](model[3](model[2](hidden))).square().mean()
        loss.backward()
        return loss

    return lambda: optimizer.step(closure)


@program("more")
def paused_validation(device, at=nowhere):
    """Every fifth step is followed by two batches without gradients."""
    model = nn.Sequential(nn.Conv1d(4, 16, 3), nn.ReLU(), nn.Flatten(),
                          nn.Linear(16 * 30, 5)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    source = batches(at, (8, 4, 32), device=device)
    y = torch.randint(5, (8,), device=device)
    count = [0]

    def step():
        x, = next(source)
        optimizer.zero_grad()
        at("conv")
        x = model[2](model[1](model[0](x)))
        at("gemm")
        F.cross_entropy(model[3](x), y).backward()
        optimizer.step()
        count[0] += 1
        if count[0] % 5 == 0:
            model.eval()
            with torch.no_grad():
                right = sum((model(torch.zeros(8, 4, 32).to(device))
                             .argmax(1) == y).sum() for _ in range(2))
            right.item()
            model.train()
    return step


class Stream(torch.utils.data.IterableDataset):
    """Samples for ever; its workers pause now and then."""

    def __init__(self, at):
        self.at = at

    def __iter__(self):
        while True:
            self.at("input:elsewhere")
            yield [torch.zeros(8, 16), torch.zeros(8, dtype=torch.long)]


@program("more")
def paused_workers(device, at=nowhere):
    """An endless data set that a process reads."""
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(),
                          nn.Linear(64, 4)).to(device)
    loader = iter(torch.utils.data.DataLoader(
        Stream(at), batch_size=None, num_workers=1, prefetch_factor=1,
        pin_memory=False))

    def loss(model):
        x, y = (tensor.to(device) for tensor in next(loader))
        at("gemm")
        return F.cross_entropy(model(x), y)
    return trainer(model, loss)


@program("more")
def paused_prefetch(device, at=nowhere):
    """A thread makes batches, a stream of its own copies them ahead."""
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(),
                          nn.Linear(16 * 196, 10)).to(device)
    made = queue.Queue(maxsize=1)
    stream = torch.cuda.Stream() if device == "cuda" else None

    def make():
        while True:
            at("input:elsewhere")
            made.put(torch.zeros(8, 3, 16, 16).pin_memory())

    def copied():
        with torch.cuda.stream(stream):
            return made.get().to(device, non_blocking=True)

    threading.Thread(target=make, daemon=True).start()
    ready = [copied()]
    y = torch.randint(10, (8,), device=device)

    def loss(model):
        torch.cuda.current_stream().wait_stream(stream)
        x = ready[0]
        x.record_stream(torch.cuda.current_stream())
        ready[0] = copied()
        at("conv")
        x = model[2](model[1](model[0](x)))
        at("gemm")
        return F.cross_entropy(model[3](x), y)
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    return trainer(model, loss, optimizer)


@program("more")
def paused_decoding(device, at=nowhere):
    """Tokens, one by one with keys of a fixed cache, sampled on the GPU."""
    width, heads, room = 32, 4, 64

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(100, width)
            self.norm = nn.LayerNorm(width)
            self.qkv = nn.Linear(width, 3 * width)
            self.out, self.head = nn.Linear(width, width), nn.Linear(width, 99)

        def forward(self, token, keys, values, place):
            at("embedding")
            x = self.embedding(token)
            at("norm")
            y = self.norm(x)
            at("gemm:qkv")
            q, k, v = self.qkv(y).view(2, 1, 3, heads, -1).permute(
                2, 0, 3, 1, 4)
            keys[:, :, place:place + 1] = k
            values[:, :, place:place + 1] = v
            at("attention")
            y = F.scaled_dot_product_attention(q, keys, values)
            x = x + self.out(y.transpose(1, 2).reshape(2, 1, width))
            at("gemm:head")
            return self.head(x)

    model = Net().to(device).eval()
    caches = [torch.zeros(2, heads, room, width // heads, device=device)
              for _ in "kv"]
    state = [torch.zeros(2, 1, dtype=torch.long), 0]

    @torch.no_grad()
    def step():
        at("input")
        token, place = state
        scores = model(token.to(device), *caches, place % room)[:, -1]
        at("softmax")
        token = F.softmax(scores / 0.8, -1).multinomial(1)
        state[:] = token.cpu() * 0, place + 1
    return step


@program("more")
def paused_clicks(device, at=nowhere):
    """Bags of embeddings, products of pairs, a tower."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.bags = nn.ModuleList(nn.EmbeddingBag(100, 16, mode="sum")
                                      for _ in range(3))
            self.bottom = nn.Linear(13, 16)
            self.top = nn.Sequential(nn.Linear(16 + 16, 32), nn.ReLU(),
                                     nn.Linear(32, 1))

        def forward(self, dense, rows, starts):
            at("gemm:bottom")
            parts = [F.relu(self.bottom(dense))]
            for bag in self.bags:
                at("embedding")
                parts.append(bag(rows, starts))
            x = torch.stack(parts, 1)
            at("gemm:pairs")
            pairs = torch.bmm(x, x.transpose(1, 2)).flatten(1)
            at("gemm:top")
            return self.top(torch.cat([parts[0], pairs], 1))

    model = Net().to(device)
    source = batches(at, (16, 13), (16, 1), device=device)
    rows = torch.zeros(64, dtype=torch.long, device=device)
    starts = torch.arange(0, 64, 4, device=device)

    def loss(model):
        dense, clicked = next(source)
        scores = model(dense, rows, starts)
        at("activation")
        return F.binary_cross_entropy_with_logits(scores, clicked)
    return trainer(model, loss)


@program("more")
def paused_speech_decoder(device, at=nowhere):
    """Two cells of an LSTM run over frames with a linear layer before."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.before = nn.Linear(8, 16)
            self.cells = nn.ModuleList([nn.LSTMCell(16, 32),
                                        nn.LSTMCell(32, 32)])
            self.out = nn.Linear(32, 8)

        def forward(self, frames):
            states = [None, None]
            outs = []
            for frame in frames:
                at("gemm:before")
                x = self.before(frame).relu()
                for i, cell in enumerate(self.cells):
                    at(f"rnn:{i}")
                    states[i] = cell(x, states[i])
                    x = states[i][0]
                outs.append(x)
            at("gemm")
            return self.out(torch.stack(outs))

    model = Net().to(device)
    x = torch.randn(12, 4, 8, device=device)

    def loss(model):
        made = model(x)
        at("loss")
        return F.l1_loss(made, x)
    return trainer(model, loss, torch.optim.Adam(model.parameters()))


@program("more")
def paused_averages(device, at=nowhere):
    """Two views, a slow copy of the model, no negatives (BYOL)."""
    def net():
        return nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16),
                             nn.ReLU(), nn.Flatten(),
                             nn.Linear(16 * 49, 16)).to(device)
    online, slow, guess = net(), net(), nn.Linear(16, 16).to(device)
    optimizer = torch.optim.SGD([*online.parameters(), *guess.parameters()],
                                lr=0.1)
    source = batches(at, (8, 3, 16, 16), (8, 3, 16, 16), device=device)

    def step():
        one, two = next(source)
        at("conv:online")
        made = online(one)
        at("gemm:guess")
        made = guess(made)
        with torch.no_grad():
            at("conv:slow")
            goal = slow(two)
        at("reduction")
        loss = 2 - 2 * (F.normalize(made) * F.normalize(goal)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        at("elementwise")
        with torch.no_grad():
            torch._foreach_lerp_(list(slow.parameters()),
                                 list(online.parameters()), 0.01)
    return step
