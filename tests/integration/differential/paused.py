# SPDX-License-Identifier: Apache-2.0
"""Programs whose host may pause at places that tell where the pause is due.

A place is `CLASS` or `CLASS:WORDS`: before the next work of that class, or
`input`, before a step's batch. As programs of the differential test they don't
pause; see ../analyzer/delays_of_programs_test.py.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from programs import program, trainer


def nowhere(place):
    """No pause at any place."""


def before_backward(tensor, at, place):
    """A pause before the gradients of what made `tensor`."""
    if tensor.requires_grad:
        tensor.register_hook(lambda gradient: at(place))
    return tensor


def batches(at, *shapes, device="cuda", pinned=False):
    """Batches for ever, each made on the host after a pause."""
    while True:
        at("input")
        batch = [torch.zeros(shape) for shape in shapes]
        if pinned:
            batch = [tensor.pin_memory() for tensor in batch]
        yield [tensor.to(device, non_blocking=pinned) for tensor in batch]


@program("more")
def paused_segmentation(device, at=nowhere):
    """A U-Net with group norms, transposed convolutions and a Dice loss."""
    def block(inner, outer):
        return nn.Sequential(nn.Conv2d(inner, outer, 3, padding=1),
                             nn.GroupNorm(4, outer), nn.SiLU())

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = block(3, 16), block(16, 32)
            self.up = nn.ConvTranspose2d(32, 16, 2, 2)
            self.out, self.head = block(32, 16), nn.Conv2d(16, 1, 1)

        def forward(self, x):
            at("conv:first")
            one = self.one(x)
            at("pool")
            two = self.two(F.max_pool2d(one, 2))
            at("conv:up")
            up = self.up(two)
            at("conv:skip")
            x = torch.cat([one, up], 1)
            x = self.out[0](x)
            at("norm")
            x = self.out[2](self.out[1](x))
            before_backward(x, at, "activation:backward")
            return before_backward(self.head(x), at, "conv:backward")

    def dice(model):
        x, y = next(source)
        p = torch.sigmoid(model(x))
        return 1 - 2 * (p * y).sum() / ((p + y).sum() + 1)
    source = batches(at, (4, 3, 32, 32), (4, 1, 32, 32), device=device)
    model = Net().to(device)
    return trainer(model, dice, torch.optim.AdamW(model.parameters()))


@program("more")
def paused_speech(device, at=nowhere):
    """Convolutions over a spectrum, a GRU, CTC."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.front = nn.Conv1d(20, 32, 5, 2, 2)
            self.norm = nn.BatchNorm1d(32)
            self.gru = nn.GRU(32, 32, 2, batch_first=True)
            self.out = nn.Linear(32, 12)

        def forward(self, x):
            at("conv")
            x = self.front(x)
            at("norm")
            x = F.hardtanh(self.norm(x), 0, 20).transpose(1, 2).contiguous()
            at("rnn")
            x, _ = self.gru(x)
            before_backward(x, at, "rnn:backward")
            at("gemm")
            x = self.out(x)
            at("softmax")
            return F.log_softmax(x, -1).transpose(0, 1)

    model = Net().to(device)
    source = batches(at, (4, 20, 64), device=device, pinned=True)
    targets = torch.ones(4, 6, dtype=torch.long, device=device)
    lengths = torch.full((4,), 32), torch.full((4,), 6)

    def loss(model):
        scores = model(*next(source))
        at("loss")
        return F.ctc_loss(scores, targets, *lengths)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9,
                                nesterov=True)
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    return trainer(model, loss, optimizer)


@program("more")
def paused_image_transformer(device, at=nowhere):
    """Patches, a class token, layer scale, paths that are dropped."""
    width, heads = 32, 4

    class Block(nn.Module):
        def __init__(self, number):
            super().__init__()
            self.number = number
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv = nn.Linear(width, 3 * width)
            self.proj = nn.Linear(width, width)
            self.up = nn.Linear(width, 4 * width)
            self.down = nn.Linear(4 * width, width)
            self.scale = nn.Parameter(torch.full((width,), 0.1))

        def drop_path(self, x):
            keep = x.new_empty(len(x), 1, 1).bernoulli_(0.9)
            return x * keep / 0.9

        def forward(self, x):
            n, t, _ = x.shape
            at(f"norm:{self.number}")
            y = self.norm1(x)
            at(f"gemm:qkv {self.number}")
            q, k, v = self.qkv(y).view(n, t, 3, heads, -1).permute(
                2, 0, 3, 1, 4)
            at(f"attention:{self.number}")
            y = F.scaled_dot_product_attention(q, k, v)
            y = before_backward(y, at, f"attention:backward {self.number}")
            y = self.proj(y.transpose(1, 2).reshape(n, t, width))
            x = x + self.drop_path(y * self.scale)
            y = self.up(self.norm2(x))
            at(f"activation:{self.number}")
            y = self.down(F.gelu(y))
            return x + self.drop_path(y * self.scale)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, width, 8, 8)
            self.token = nn.Parameter(torch.zeros(1, 1, width))
            self.places = nn.Parameter(torch.zeros(1, 17, width))
            self.blocks = nn.Sequential(*(Block(i) for i in range(2)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

        def forward(self, x):
            at("conv")
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.token.expand(len(x), -1, -1), x], 1)
            x = self.blocks(x + self.places)
            return self.head(self.norm(x)[:, 0])

    model = Net().to(device)
    x = torch.randn(8, 3, 32, 32, device=device)
    y = torch.randint(10, (8,), device=device)

    def loss(model):
        scores = model(x)
        at("softmax")
        return F.cross_entropy(scores, y, label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    optimizer.register_step_pre_hook(lambda *_: at("optimizer"))
    return trainer(model, loss, optimizer)


@program("more")
def paused_experts(device, at=nowhere):
    """A router, and a loop over experts that take equal shares."""
    width, count = 32, 4

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(50, width)
            self.router = nn.Linear(width, count)
            self.experts = nn.ModuleList(
                nn.Sequential(nn.Linear(width, 64), nn.GELU(),
                              nn.Linear(64, width)) for _ in range(count))
            self.head = nn.Linear(width, 50)

        def forward(self, words):
            at("embedding")
            x = self.embedding(words)
            at("gemm:router")
            gates = F.softmax(self.router(x), -1)
            chosen = gates.topk(8, 0)
            y = torch.zeros_like(x)
            for i, expert in enumerate(self.experts):
                rows = chosen.indices[:, i]
                at("embedding:rows")
                part = x.index_select(0, rows)
                at("gemm:expert")
                part = expert(part) * chosen.values[:, i, None]
                y = y.index_add(0, rows, part)
            return self.head(x + y)

    model = Net().to(device)
    words = torch.randint(50, (32,), device=device)

    def loss(model):
        scores = model(words)
        at("softmax")
        return F.cross_entropy(scores, words)
    return trainer(model, loss, torch.optim.Adagrad(model.parameters()))


@program("more")
def paused_critic(device, at=nowhere):
    """A critic with a gradient penalty twice, then its generator."""
    make = nn.Sequential(nn.Linear(8, 64), nn.ReLU(),
                         nn.Linear(64, 32)).to(device)
    judge = nn.Sequential(nn.Linear(32, 64), nn.LeakyReLU(0.2),
                          nn.Linear(64, 1)).to(device)
    makes = torch.optim.RMSprop(make.parameters())
    judges = torch.optim.RMSprop(judge.parameters())
    judges.register_step_pre_hook(lambda *_: at("optimizer"))
    source = batches(at, (16, 32), device=device)

    def critic():
        real, = next(source)
        with torch.no_grad():
            made = make(torch.randn(16, 8, device=device))
        mixed = torch.rand(16, 1, device=device)
        mixed = (mixed * real + (1 - mixed) * made).requires_grad_()
        at("gemm:critic")
        scores = judge(mixed)
        slope, = torch.autograd.grad(scores.sum(), mixed, create_graph=True)
        loss = judge(made).mean() - judge(real).mean()
        loss = loss + 10 * (slope.norm(2, 1) - 1).square().mean()
        judges.zero_grad()
        loss.backward()
        judges.step()

    def step():
        critic()
        critic()
        at("elementwise:noise")
        noise = torch.randn(16, 8, device=device)
        at("gemm:generator")
        loss = -judge(make(noise)).mean()
        makes.zero_grad()
        loss.backward()
        makes.step()
    return step


@program("more")
def paused_autoencoder(device, at=nowhere):
    """A variational one: noise, two heads, transposed convolutions."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(1, 16, 4, 2, 1)
            self.norm = nn.BatchNorm2d(16)
            self.mean, self.spread = nn.Linear(4096, 8), nn.Linear(4096, 8)
            self.widen = nn.Linear(8, 4096)
            self.up = nn.ConvTranspose2d(16, 1, 4, 2, 1)

        def forward(self, x):
            at("conv")
            x = self.down(x)
            at("norm")
            x = F.elu(self.norm(x)).flatten(1)
            at("gemm:mean")
            mean = self.mean(x)
            at("gemm:spread")
            spread = self.spread(x)
            z = mean + (0.5 * spread).exp() * torch.randn_like(mean)
            at("gemm:decoder")
            x = self.widen(z).view(-1, 16, 16, 16)
            at("conv:up")
            return self.up(x), mean, spread

    model = Net().to(device)
    source = batches(at, (4, 1, 32, 32), device=device)

    def loss(model):
        x, = next(source)
        y, mean, spread = model(x)
        at("activation")
        error = F.binary_cross_entropy_with_logits(y, x, reduction="sum")
        return error - 0.5 * (1 + spread - mean ** 2 - spread.exp()).sum()
    return trainer(model, loss, torch.optim.Adam(model.parameters()))


@program("more")
def paused_sampler(device, at=nowhere):
    """Denoising without gradients, a step each with the time embedded."""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(),
                                      nn.Linear(32, 16))
            self.into = nn.Conv2d(3, 16, 3, padding=1)
            self.norm = nn.GroupNorm(4, 16)
            self.out = nn.Conv2d(16, 3, 3, padding=1)

        def forward(self, x, when):
            at("gemm")
            t = self.time(when)
            at("conv:in")
            x = self.into(x) + t[:, :, None, None]
            at("norm")
            x = F.silu(self.norm(x))
            at("conv:out")
            return self.out(x)

    model = Net().to(device).eval()
    x = torch.randn(2, 3, 32, 32, device=device)
    state = [x, 1000]

    @torch.no_grad()
    def step():
        at("input")
        x, when = state
        angles = when * torch.exp(-torch.arange(8.0))
        code = torch.cat([angles.sin(), angles.cos()])[None].to(device)
        noise = model(x, code)
        x = (x - 0.02 * noise) / 0.99
        x = x + 0.1 * torch.randn_like(x)
        state[:] = x.clamp(-3, 3), when - 1
    return step


@program("more")
def paused_actor_critic(device, at=nowhere):
    """Deterministic policy gradients with a replay buffer in host memory."""
    buffer = np.zeros((256, 2 * 6 + 2 + 1), np.float32)
    chance = np.random.default_rng(0)

    def net(inner, outer):
        return nn.Sequential(nn.Linear(inner, 32), nn.ReLU(),
                             nn.Linear(32, outer)).to(device)
    actor, critic = net(6, 2), net(8, 1)
    actor_goal, critic_goal = net(6, 2), net(8, 1)
    acts = torch.optim.Adam(actor.parameters())
    judges = torch.optim.Adam(critic.parameters())
    judges.register_step_pre_hook(lambda *_: at("optimizer:critic"))
    acts.register_step_pre_hook(lambda *_: at("optimizer:actor"))

    def step():
        at("input")
        rows = buffer[chance.integers(256, size=32)]
        rows = torch.from_numpy(rows).to(device)
        state, action, reward, after = rows.split([6, 2, 1, 6], 1)
        with torch.no_grad():
            at("gemm:goal")
            best = actor_goal(after).tanh()
            goal = reward + 0.99 * critic_goal(torch.cat([after, best], 1))
        at("gemm:critic")
        loss = F.mse_loss(critic(torch.cat([state, action], 1)), goal)
        judges.zero_grad()
        loss.backward()
        judges.step()
        at("gemm:actor")
        score = critic(torch.cat([state, actor(state).tanh()], 1))
        acts.zero_grad()
        (-score.mean()).backward()
        acts.step()
        at("elementwise")
        with torch.no_grad():
            for model, follows in ((actor, actor_goal),
                                   (critic, critic_goal)):
                for new, old in zip(model.parameters(), follows.parameters()):
                    old.lerp_(new, 0.01)
    return step
