# SPDX-License-Identifier: Apache-2.0
"""Small forms of published architectures; see programs.py."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

from programs import program, squares, trainer


@program("more")
def squeeze_and_excite(device):
    class Block(nn.Module):
        def __init__(self, c=16):
            super().__init__()
            self.expand = nn.Conv2d(c, 4 * c, 1, bias=False)
            self.norm = nn.BatchNorm2d(4 * c)
            self.depth = nn.Conv2d(4 * c, 4 * c, 3, padding=1, groups=4 * c)
            self.squeeze = nn.Conv2d(4 * c, c, 1)
            self.excite = nn.Conv2d(c, 4 * c, 1)
            self.project = nn.Conv2d(4 * c, c, 1)

        def forward(self, x):
            h = F.silu(self.depth(F.silu(self.norm(self.expand(x)))))
            scale = F.silu(self.squeeze(F.adaptive_avg_pool2d(h, 1)))
            h = h * self.excite(scale).sigmoid()
            return x + F.dropout(self.project(h), 0.1)
    return trainer(nn.Sequential(Block(), Block()).to(device),
                   squares(torch.randn(2, 16, 16, 16, device=device)))


@program("more")
def shifted_windows(device):
    class Window(nn.Module):
        def __init__(self, c=32, heads=2, w=4):
            super().__init__()
            self.heads, self.w = heads, w
            self.norm = nn.LayerNorm(c)
            self.qkv = nn.Linear(c, 3 * c)
            self.out = nn.Linear(c, c)
            self.bias = nn.Parameter(torch.zeros(heads, w * w, w * w))

        def forward(self, x):
            b, h, w, c = x.shape
            s = self.w
            x0 = x
            x = torch.roll(self.norm(x), (-2, -2), (1, 2))
            x = x.view(b, h // s, s, w // s, s, c).transpose(2, 3)
            x = x.reshape(-1, s * s, c)
            q, k, v = self.qkv(x).view(
                -1, s * s, 3, self.heads, c // self.heads).permute(
                    2, 0, 3, 1, 4)
            a = (q * c ** -0.5) @ k.transpose(-1, -2) + self.bias
            x = (a.softmax(-1) @ v).transpose(1, 2).reshape(-1, s * s, c)
            x = self.out(x).view(b, h // s, w // s, s, s, c).transpose(2, 3)
            return x0 + torch.roll(x.reshape(b, h, w, c), (2, 2), (1, 2))
    return trainer(nn.Sequential(Window(), Window()).to(device),
                   squares(torch.randn(2, 8, 8, 32, device=device)))


@program("more")
def conformer(device):
    class Layer(nn.Module):
        def __init__(self, c=32):
            super().__init__()
            self.up, self.down = nn.Linear(c, 2 * c), nn.Linear(2 * c, c)
            self.attention = nn.MultiheadAttention(c, 4, batch_first=True)
            self.point = nn.Conv1d(c, 2 * c, 1)
            self.depth = nn.Conv1d(c, c, 7, padding=3, groups=c)
            self.norms = nn.ModuleList(nn.LayerNorm(c) for _ in range(3))
            self.batch = nn.BatchNorm1d(c)

        def forward(self, x):
            x = x + 0.5 * self.down(F.silu(self.up(self.norms[0](x))))
            h = self.norms[1](x)
            x = x + self.attention(h, h, h, need_weights=False)[0]
            h = F.glu(self.point(self.norms[2](x).transpose(1, 2)), 1)
            return x + F.silu(self.batch(self.depth(h))).transpose(1, 2)
    return trainer(Layer().to(device),
                   squares(torch.randn(4, 32, 32, device=device)))


@program("more")
def cross_attention_latents(device):
    class Perceiver(nn.Module):
        def __init__(self, c=32):
            super().__init__()
            self.latents = nn.Parameter(torch.randn(8, c))
            self.q, self.kv = nn.Linear(c, c), nn.Linear(c, 2 * c)
            self.mlp = nn.Sequential(nn.Linear(c, 2 * c), nn.GELU("tanh"),
                                     nn.Linear(2 * c, c))

        def forward(self, x):
            z = self.latents.expand(x.size(0), -1, -1)
            for _ in range(2):
                k, v = self.kv(x).chunk(2, -1)
                a = torch.einsum("bid,bjd->bij", self.q(z), k) / 32 ** 0.5
                z = z + torch.einsum("bij,bjd->bid", a.softmax(-1), v)
                z = z + self.mlp(z)
            return z
    return trainer(Perceiver().to(device),
                   squares(torch.randn(2, 64, 32, device=device)),)


@program("more")
def linear_attention(device):
    qkv = nn.Linear(32, 96).to(device)
    x = torch.randn(2, 64, 32, device=device)

    def loss(layer):
        q, k, v = layer(x).chunk(3, -1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        state = torch.einsum("bnd,bne->bde", k, v)
        norm = torch.einsum("bnd,bd->bn", q, k.sum(1))
        y = torch.einsum("bnd,bde->bne", q, state) / norm.unsqueeze(-1)
        return y.square().mean()
    return trainer(qkv, loss)


@program("more")
def positional_bias(device):
    """Attention by hand with ALiBi's slopes and shared keys (multi-query)."""
    q, kv = nn.Linear(32, 32).to(device), nn.Linear(32, 16).to(device)
    model = nn.ModuleList([q, kv])
    x = torch.randn(2, 16, 32, device=device)
    at = torch.arange(16, device=device)
    bias = -(at[None] - at[:, None]).abs() * torch.tensor(
        [0.5, 0.25, 0.125, 0.0625], device=device).view(4, 1, 1)

    def loss(layers):
        queries = layers[0](x).view(2, 16, 4, 8).transpose(1, 2)
        k, v = layers[1](x).view(2, 16, 1, 2, 8).permute(3, 0, 2, 1, 4)
        a = (queries @ k.transpose(-1, -2)) * 8 ** -0.5 + bias
        return (torch.softmax(a, -1) @ v).square().mean()
    return trainer(model, loss)


@program("more")
def state_space(device):
    """A selective scan by cumulative sums, between projections."""
    class Scan(nn.Module):
        def __init__(self, c=32):
            super().__init__()
            self.into = nn.Linear(c, 2 * c, bias=False)
            self.conv = nn.Conv1d(c, c, 4, padding=3, groups=c)
            self.step, self.out = nn.Linear(c, c), nn.Linear(c, c)
            self.decay = nn.Parameter(torch.rand(c))

        def forward(self, x):
            h, gate = self.into(x).chunk(2, -1)
            h = self.conv(h.transpose(1, 2))[..., :x.size(1)].transpose(1, 2)
            h = F.silu(h)
            dt = F.softplus(self.step(h))
            log = torch.cumsum(-dt * self.decay, 1)
            h = torch.cumsum(h * dt * (-log).exp(), 1) * log.exp()
            return x + self.out(h * F.silu(gate))
    return trainer(nn.Sequential(Scan(), Scan()).to(device),
                   squares(torch.randn(2, 32, 32, device=device)))


@program("more")
def token_recurrence(device):
    """A linear recurrence over time written as a loop, after products."""
    model = nn.ModuleList([nn.Linear(32, 64), nn.Linear(32, 8)]).to(device)
    x = torch.randn(4, 12, 32, device=device)

    def loss(layers):
        key, value = layers[0](x).chunk(2, -1)
        state = torch.zeros(4, 32, device=device)
        out = []
        for t in range(12):
            state = 0.9 * state + key[:, t].exp() * value[:, t]
            out.append(state)
        return layers[1](torch.stack(out, 1)).square().mean()
    return trainer(model, loss)


@program("more")
def dilated_convolutions(device):
    class Block(nn.Module):
        def __init__(self, dilation, c=16):
            super().__init__()
            self.filter = nn.utils.parametrizations.weight_norm(
                nn.Conv1d(c, c, 2, dilation=dilation))
            self.gate = nn.Conv1d(c, c, 2, dilation=dilation)
            self.skip = nn.Conv1d(c, c, 1)
            self.dilation = dilation

        def forward(self, x):
            p = F.pad(x, (self.dilation, 0))
            return x + self.skip(self.filter(p).tanh() *
                                 self.gate(p).sigmoid())
    return trainer(nn.Sequential(*(Block(2 ** i) for i in range(3))).to(device),
                   squares(torch.randn(2, 16, 64, device=device)))


@program("more")
def super_resolution(device):
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.PReLU(),
        nn.Conv2d(16, 16 * 4, 3, padding=1), nn.PixelShuffle(2),
        nn.Conv2d(16, 16, 3, padding=1), nn.InstanceNorm2d(16, affine=True),
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.Hardswish(),
        nn.Conv2d(16, 3, 5, padding=2, padding_mode="reflect"),
        nn.Sigmoid()).to(device)
    x = torch.randn(1, 3, 16, 16, device=device)
    y = torch.randn(1, 3, 64, 64, device=device)
    return trainer(model, lambda m: F.l1_loss(m(x), y))


@program("more")
def channel_shuffle(device):
    class Unit(nn.Module):
        def __init__(self, c=16):
            super().__init__()
            self.a = nn.Conv2d(c // 2, c // 2, 1, groups=2)
            self.b = nn.Conv2d(c // 2, c // 2, 3, padding=1, groups=c // 2)

        def forward(self, x):
            left, right = x.chunk(2, 1)
            h = torch.cat([left, F.relu6(self.b(self.a(right)))], 1)
            b, c, height, width = h.shape
            return h.view(b, 2, c // 2, height, width).transpose(
                1, 2).reshape(b, c, height, width)
    model = nn.Sequential(Unit(), nn.AvgPool2d(2), Unit(), nn.LPPool2d(2, 2),
                          nn.Flatten(), nn.LazyLinear(4)).to(device)
    x = torch.randn(2, 16, 8, 8, device=device)
    model(x)
    return trainer(model, squares(x))


@program("more")
def vector_quantizer(device):
    enc = nn.Conv2d(3, 16, 4, 2, 1).to(device)
    dec = nn.ConvTranspose2d(16, 3, 4, 2, 1).to(device)
    book = nn.Embedding(32, 16).to(device)
    model = nn.ModuleList([enc, dec, book])
    x = torch.randn(2, 3, 16, 16, device=device)

    def loss(layers):
        z = layers[0](x).permute(0, 2, 3, 1)
        near = torch.cdist(z.flatten(0, 2), layers[2].weight).argmin(1)
        e = layers[2](near).view_as(z)
        straight = (z + (e - z).detach()).permute(0, 3, 1, 2)
        return (F.mse_loss(layers[1](straight), x) +
                F.mse_loss(e, z.detach()) + 0.25 * F.mse_loss(z, e.detach()))
    return trainer(model, loss, torch.optim.AdamW(model.parameters()))


@program("more")
def radiance_field(device):
    class Field(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(63, 64), nn.Linear(64 + 63, 64)
            self.head = nn.Linear(64, 4)

        def forward(self, p):
            f = 2.0 ** torch.arange(10, device=p.device)
            at = (p[..., None, :] * f[:, None]).flatten(-2)
            e = torch.cat([p, at.sin(), at.cos()], -1)
            out = self.head(F.relu(self.b(torch.cat(
                [F.relu(self.a(e)), e], -1))))
            alpha = 1 - torch.exp(-F.relu(out[..., 3]))
            weight = alpha * torch.cumprod(1 - alpha + 1e-6, -1)
            return (weight[..., None] * out[..., :3].sigmoid()).sum(-2)
    return trainer(Field().to(device),
                   squares(torch.randn(32, 8, 3, device=device)))


@program("more")
def low_rank_adapter(device):
    base = nn.Linear(64, 64).to(device).requires_grad_(False)
    down = nn.Linear(64, 4, bias=False).to(device)
    up = nn.Linear(4, 64, bias=False).to(device)
    model = nn.ModuleList([down, up])
    x = torch.randn(16, 64, device=device)

    def loss(layers):
        h = x
        for _ in range(3):
            h = F.gelu(base(h) + 2.0 * layers[1](layers[0](h)))
        return h.square().mean()
    return trainer(model, loss, torch.optim.AdamW(model.parameters()))


@program("more")
def distillation(device):
    teacher = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Flatten(),
                            nn.Linear(32 * 36, 10)).to(device).eval()
    student = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(),
                            nn.Linear(8 * 36, 10)).to(device)
    x = torch.randn(8, 3, 8, 8, device=device)

    def loss(model):
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 4, 1)
        return F.kl_div(F.log_softmax(model(x) / 4, 1), soft,
                        reduction="batchmean")
    optimizer = torch.optim.RMSprop(student.parameters(), momentum=0.9)
    return trainer(student, loss, optimizer)


@program("more")
def meta_learning(device):
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(),
                          nn.Linear(32, 1)).to(device)
    x = torch.randn(16, 8, device=device)

    def loss(module):
        weights = dict(module.named_parameters())
        inner = functional_call(module, weights, (x,)).square().mean()
        slopes = torch.autograd.grad(inner, list(weights.values()),
                                     create_graph=True)
        moved = {name: w - 0.1 * g for (name, w), g in
                 zip(weights.items(), slopes)}
        return functional_call(module, moved, (x,)).square().mean()
    return trainer(model, loss, torch.optim.Adam(model.parameters()))


@program("more")
def contrastive_views(device):
    model = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(8, 16)).to(device)
    a, b = torch.randn(2, 8, 3, 16, 16, device=device)
    labels = torch.arange(16, device=device).roll(8)

    def loss(m):
        z = F.normalize(torch.cat([m(a), m(b)]), dim=1)
        return F.cross_entropy(z @ z.T / 0.5, labels)
    return trainer(model, loss)


@program("more")
def attentive_decoder(device):
    """A GRU encoder, and a decoder of cells with additive attention."""
    class Translator(nn.Module):
        def __init__(self, c=32):
            super().__init__()
            self.embed = nn.Embedding(50, c)
            self.encode = nn.GRU(c, c, bidirectional=True, batch_first=True)
            self.cell = nn.GRUCell(3 * c, c)
            self.key, self.query = nn.Linear(2 * c, c), nn.Linear(c, c)
            self.score, self.out = nn.Linear(c, 1), nn.Linear(c, 50)

        def forward(self, source, target):
            memory, _ = self.encode(self.embed(source))
            keys = self.key(memory)
            state = memory.new_zeros(source.size(0), 32)
            logits = []
            for t in range(target.size(1)):
                s = self.score(torch.tanh(keys + self.query(state)[:, None]))
                context = (s.softmax(1) * memory).sum(1)
                step = torch.cat([self.embed(target[:, t]), context], 1)
                state = self.cell(step, state)
                logits.append(self.out(state))
            return torch.stack(logits, 1)
    source, target = torch.randint(50, (2, 4, 10), device=device)
    return trainer(Translator().to(device), lambda m: F.cross_entropy(
        m(source, target).flatten(0, 1), target.flatten()))


@program("more")
def feature_pyramid(device):
    class Pyramid(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList(
                nn.Conv2d(c, 2 * c, 3, 2, 1) for c in (8, 16, 32))
            self.side = nn.ModuleList(
                nn.Conv2d(c, 16, 1) for c in (16, 32, 64))
            self.head = nn.Conv2d(16, 6, 3, padding=1)

        def forward(self, x):
            levels = []
            for layer in self.down:
                x = F.relu(layer(x))
                levels.append(x)
            top = None
            out = []
            for level, side in reversed(list(zip(levels, self.side))):
                h = side(level)
                top = h if top is None else h + F.interpolate(
                    top, scale_factor=2.0)
                out.append(self.head(top).flatten(1))
            return torch.cat(out, 1)
    x = torch.randn(2, 8, 32, 32, device=device)
    boxes = torch.randn(2, 2016, device=device)
    return trainer(Pyramid().to(device),
                   lambda m: F.smooth_l1_loss(m(x), boxes))


@program("more")
def sharpness_aware(device):
    """Two passes a step: up to the worst weights nearby, then down."""
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(),
                          nn.Linear(64, 4)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.randn(16, 32, device=device)

    def step():
        model(x).square().mean().backward()
        with torch.no_grad():
            moves = [0.05 * p.grad / (p.grad.norm() + 1e-12)
                     for p in model.parameters()]
            for p, move in zip(model.parameters(), moves):
                p.add_(move)
        optimizer.zero_grad()
        model(x).square().mean().backward()
        with torch.no_grad():
            for p, move in zip(model.parameters(), moves):
                p.sub_(move)
        optimizer.step()
        optimizer.zero_grad()
    return step


@program("more")
def target_network(device):
    """Q-learning with a slowly following copy and gathered actions."""
    model = nn.Sequential(nn.Conv2d(4, 8, 4, 2), nn.ReLU(), nn.Flatten(),
                          nn.Linear(8 * 49, 6)).to(device)
    target = copy.deepcopy(model).requires_grad_(False)
    state, after = torch.rand(2, 8, 4, 16, 16, device=device)
    action = torch.randint(6, (8, 1), device=device)
    inner = trainer(model, lambda m: F.huber_loss(
        m(state).gather(1, action).squeeze(1),
        1 + 0.99 * target(after).amax(1)))

    def step():
        inner()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), model.parameters()):
                slow.mul_(0.99).add_(fast, alpha=0.01)
    return step
