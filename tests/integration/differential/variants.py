# SPDX-License-Identifier: Apache-2.0
"""Variants of known models: other loops, types and ways to differentiate; see
programs.py."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from programs import program, squares, trainer


class ScaledBlock(nn.Module):
    """A transformer block whose branches are scaled and dropped whole."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.scale1 = nn.Parameter(torch.full((width,), 1e-2))
        self.scale2 = nn.Parameter(torch.full((width,), 1e-2))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    @staticmethod
    def dropped(x):
        keep = torch.empty(len(x), 1, 1, device=x.device).bernoulli_(0.9)
        return x * keep / 0.9

    def forward(self, x):
        n, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).view(n, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        mixed = F.scaled_dot_product_attention(q, k, v).transpose(1, 2)
        x = x + self.dropped(
            self.scale1 * self.out(mixed.reshape(n, length, width)))
        return x + self.dropped(self.scale2 * self.mlp(self.norm2(x)))


@program("more")
def vision_transformer(device):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 32, 4, 4)
            self.token = nn.Parameter(torch.zeros(1, 1, 32))
            self.places = nn.Parameter(torch.zeros(1, 65, 32))
            self.blocks = nn.Sequential(ScaledBlock(), ScaledBlock())
            self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 10)

        def forward(self, x):
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.token.expand(len(x), -1, -1), x], 1)
            return self.head(self.norm(self.blocks(x + self.places))[:, 0])
    model = Model().to(device)
    x = torch.randn(8, 3, 32, 32, device=device)
    y = torch.randint(10, (8,), device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return trainer(model, lambda m: F.cross_entropy(
        m(x), y, label_smoothing=0.1), optimizer)


class TimedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, width), nn.GroupNorm(4, width)
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(32, width)

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(F.silu(t))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(h)))


class PixelAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.qkv = nn.Conv2d(width, 3 * width, 1)
        self.out = nn.Conv2d(width, width, 1)

    def forward(self, x):
        n, width, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).flatten(2).chunk(3, 1)
        weight = torch.einsum("bcq,bck->bqk", q, k) * width ** -0.5
        mixed = torch.einsum("bqk,bck->bcq", weight.softmax(-1), v)
        return x + self.out(mixed.reshape(n, width, h, w))


@program("more")
def attentive_unet(device):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(),
                                      nn.Linear(32, 32))
            self.stem = nn.Conv2d(3, 16, 3, padding=1)
            self.block1, self.block2 = TimedBlock(16), TimedBlock(16)
            self.down = nn.Conv2d(16, 16, 3, 2, 1)
            self.middle = PixelAttention(16)
            self.join = nn.Conv2d(32, 3, 3, padding=1)

        def forward(self, x, t):
            angles = t[:, None] * torch.arange(8, device=t.device)
            t = self.time(torch.cat([angles.sin(), angles.cos()], 1))
            kept = self.block1(self.stem(x), t)
            x = self.middle(self.block2(self.down(kept), t))
            x = F.interpolate(x, scale_factor=2, mode="nearest")
            return self.join(torch.cat([kept, x], 1))
    model = Model().to(device)
    x = torch.randn(4, 3, 16, 16, device=device)
    t = torch.rand(4, device=device)
    noise = torch.randn_like(x)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return trainer(model, lambda m: F.mse_loss(m(x + noise, t), noise),
                   optimizer)


@program("more")
def selective_scan(device):
    """A state space whose matrices depend on the input, step by step."""
    class Mixer(nn.Module):
        def __init__(self, width=32, states=8):
            super().__init__()
            self.norm = nn.RMSNorm(width)
            self.split = nn.Linear(width, 4 * width, bias=False)
            self.conv = nn.Conv1d(2 * width, 2 * width, 4, padding=3,
                                  groups=2 * width)
            self.of_input = nn.Linear(2 * width, 2 * states + 1, bias=False)
            self.log_decay = nn.Parameter(torch.zeros(2 * width, states))
            self.out = nn.Linear(2 * width, width, bias=False)

        def forward(self, x):
            length = x.shape[1]
            u, gate = self.split(self.norm(x)).chunk(2, -1)
            u = F.silu(self.conv(u.transpose(1, 2))[..., :length])
            u = u.transpose(1, 2)
            step, b, c = self.of_input(u).split([1, 8, 8], -1)
            step = F.softplus(step)
            decay = torch.exp(-step[..., None] * self.log_decay.exp())
            taken = (step * u)[..., None] * b[:, :, None]
            state, outputs = torch.zeros_like(taken[:, 0]), []
            for i in range(length):
                state = decay[:, i] * state + taken[:, i]
                outputs.append((state * c[:, i, None]).sum(-1))
            return x + self.out(torch.stack(outputs, 1) * F.silu(gate))
    model = nn.Sequential(Mixer(), Mixer()).to(device)
    return trainer(model, squares(torch.randn(2, 8, 32, device=device)),
                   torch.optim.AdamW(model.parameters()))


@program("more")
def two_experts(device):
    """Each token goes to two of four experts, and comes back weighted."""
    class Experts(nn.Module):
        def __init__(self, width=32):
            super().__init__()
            self.gate = nn.Linear(width, 4, bias=False)
            self.experts = nn.ModuleList(
                nn.Sequential(nn.Linear(width, 64), nn.GELU(),
                              nn.Linear(64, width)) for _ in range(4))

        def forward(self, x):
            share, chosen = self.gate(x).softmax(-1).topk(2)
            share = share / share.sum(-1, keepdim=True)
            out = torch.zeros_like(x)
            places = torch.arange(len(x), device=x.device).view(4, -1)
            for i, expert in enumerate(self.experts):
                rows = places[i]  # no value decides: nothing is computed
                weighted = expert(x[rows]) * share[rows, i % 2, None]
                out = out.index_add(0, rows, weighted)
            return out, chosen
    first, model = nn.Linear(16, 32).to(device), Experts().to(device)
    x = torch.randn(64, 16, device=device)
    both = nn.ModuleList([first, model])
    return trainer(both, lambda m: m[1](m[0](x))[0].square().mean(),
                   torch.optim.Adam(both.parameters(), fused=True))


@program("more")
def transposed_decoder(device):
    model = nn.Sequential(
        nn.Linear(16, 256), nn.Unflatten(1, (16, 4, 4)), nn.ReLU(),
        nn.ConvTranspose2d(16, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 8, 3, 2, 1, output_padding=1), nn.PReLU(),
        nn.Conv2d(8, 3, 3, padding=1), nn.Sigmoid()).to(device)
    z = torch.randn(8, 16, device=device)
    x = torch.rand(8, 3, 16, 16, device=device)
    return trainer(model, lambda m: F.l1_loss(m(z), x),
                   torch.optim.RMSprop(model.parameters()))


@program("more")
def gated_translation(device):
    """A GRU reads, a GRU cell writes word by word."""
    class Model(nn.Module):
        def __init__(self, words=80, width=32):
            super().__init__()
            self.read = nn.Embedding(words, width)
            self.write = nn.Embedding(words, width)
            self.encoder = nn.GRU(width, width, batch_first=True)
            self.cell = nn.GRUCell(width, width)
            self.head = nn.Linear(width, words)

        def forward(self, source, target):
            state = self.encoder(self.read(source))[1][0]
            outputs = []
            for word in self.write(target).unbind(1):
                state = self.cell(word, state)
                outputs.append(state)
            return self.head(torch.stack(outputs, 1))
    model = Model().to(device)
    source = torch.randint(80, (8, 10), device=device)
    target = torch.randint(80, (8, 9), device=device)

    def loss(m):
        out = m(source, target)
        return F.cross_entropy(out.flatten(0, 1), target.flatten(),
                               ignore_index=0)
    return trainer(model, loss, torch.optim.Adam(model.parameters()))


@program("more")
def complex_numbers(device):
    """A network of complex weights; its loss is real."""
    w1 = torch.randn(32, 64, dtype=torch.cfloat, device=device)
    w2 = torch.randn(64, 32, dtype=torch.cfloat, device=device)
    bias = torch.zeros(64, dtype=torch.cfloat, device=device)
    weights = [w.requires_grad_() for w in (w1, w2, bias)]
    x = torch.randn(16, 32, dtype=torch.cfloat, device=device)
    optimizer = torch.optim.SGD(weights, lr=0.1)

    def step():
        optimizer.zero_grad()
        h = x @ w1 + bias
        h = torch.complex(F.relu(h.real), F.relu(h.imag))
        ((h @ w2).conj() * x).abs().square().mean().backward()
        optimizer.step()
    return step


@program("more")
def quantized_linear(device):
    """Products of bytes with scales for rows and columns; inference."""
    weights = [torch.randint(-128, 127, (64, 64), device=device,
                             dtype=torch.int8) for _ in range(2)]
    scales = [torch.rand(64, device=device) for _ in range(2)]
    norm = nn.LayerNorm(64).to(device)
    x = torch.randn(32, 64, device=device)

    @torch.no_grad()
    def step():
        h = x
        for weight, scale in zip(weights, scales):
            h = norm(h)
            most = h.abs().amax(1, keepdim=True) / 127
            bytes_ = (h / most).round().clamp(-128, 127).to(torch.int8)
            product = torch._int_mm(bytes_, weight.t())
            h = F.silu(product.float() * most * scale)
    return step


@program("more")
def sparse_matrix(device):
    """Layers over the edges of a graph, as products of a sparse matrix."""
    places = torch.stack([torch.arange(128) % 32,
                          (torch.arange(128) * 7) % 32]).to(device)
    values = torch.rand(128, device=device)
    edges = torch.sparse_coo_tensor(places, values, (32, 32),
                                    is_coalesced=True)
    layers = nn.ModuleList([nn.Linear(16, 32), nn.Linear(32, 8)]).to(device)
    x = torch.randn(32, 16, device=device)

    def loss(m):
        h = F.relu(torch.sparse.mm(edges, m[0](x)))
        return torch.sparse.mm(edges, m[1](h)).square().mean()
    return trainer(layers, loss)


@program("more")
def ensemble(device):
    """Models side by side: their parameters stacked, one call for all."""
    models = [nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.LayerNorm(32),
                            nn.Linear(32, 4)).to(device) for _ in range(3)]
    parameters, buffers = torch.func.stack_module_state(models)
    skeleton = models[0]
    x = torch.randn(24, 16, device=device)
    optimizer = torch.optim.SGD(parameters.values(), lr=0.1)

    def one(parameters, buffers, x):
        return torch.func.functional_call(skeleton, (parameters, buffers), x)

    def step():
        optimizer.zero_grad()
        out = torch.vmap(one, (0, 0, None))(parameters, buffers, x)
        out.square().mean().backward()
        optimizer.step()
    return step


@program("more")
def checkpointed_half_precision(device):
    blocks = nn.ModuleList(ScaledBlock() for _ in range(2)).to(device)
    head = nn.Linear(32, 16).to(device)
    x = torch.randn(4, 24, 32, device=device)
    y = torch.randint(16, (4, 24), device=device)
    optimizer = torch.optim.AdamW([*blocks.parameters(), *head.parameters()],
                                  fused=True)
    scaler = torch.amp.GradScaler(device)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.float16):
            h = x
            for block in blocks:
                h = checkpoint(block, h, use_reentrant=False)
            loss = F.cross_entropy(head(h).flatten(0, 1), y.flatten())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return step


@program("more")
def residual_channels_last_amp(device):
    class Block(nn.Module):
        def __init__(self, width, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(width, 2 * width, 3, stride, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(2 * width)
            self.conv2 = nn.Conv2d(2 * width, 2 * width, 3, 1, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(2 * width)
            self.short = nn.Conv2d(width, 2 * width, 1, stride, bias=False)

        def forward(self, x):
            h = F.relu(self.norm1(self.conv1(x)), inplace=True)
            return F.relu(self.norm2(self.conv2(h)) + self.short(x))
    model = nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.MaxPool2d(3, 2, 1),
        Block(16, 1), Block(32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(64, 10)).to(device, memory_format=torch.channels_last)
    x = torch.randn(4, 3, 32, 32, device=device)
    x = x.to(memory_format=torch.channels_last)
    y = torch.randint(10, (4,), device=device)

    def loss(m):
        with torch.autocast(device, dtype=torch.float16):
            return F.cross_entropy(m(x), y)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9,
                                nesterov=True, weight_decay=1e-4)
    return trainer(model, loss, optimizer)


@program("more")
def double_precision(device):
    """Trained in FP64, as by accident."""
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Flatten(), nn.Linear(8 * 64, 32), nn.Dropout(0.1), nn.ELU(),
        nn.Linear(32, 1)).to(device).double()
    x = torch.randn(8, 1, 8, 8, device=device, dtype=torch.double)
    y = torch.randn(8, 1, device=device, dtype=torch.double)
    return trainer(model, lambda m: F.huber_loss(m(x), y),
                   torch.optim.Adam(model.parameters()))
