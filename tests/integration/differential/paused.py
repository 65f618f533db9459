# SPDX-License-Identifier: Apache-2.0
"""Programs whose host may pause at places that tell where the pause is due.

A place is `CLASS` or `CLASS:WORDS`: before the next work of that class, or
`input`, before a step's batch. As programs of the differential test they don't
pause; see ../analyzer/paused_programs_test.py.
"""

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
        at("elementwise")
        token = F.softmax(scores / 0.8, -1).multinomial(1)
        state[:] = token.cpu() * 0, place + 1
    return step


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
