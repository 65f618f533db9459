# SPDX-License-Identifier: Apache-2.0
"""Programs of layers that few models have; see programs.py."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from programs import program, squares, trainer


@program("more")
def fourier_operator(device):
    class Spectral(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(
                torch.randn(8, 8, 5, 5, dtype=torch.cfloat))
            self.conv = nn.Conv2d(8, 8, 1)

        def forward(self, x):
            f = torch.fft.rfft2(x)
            out = torch.zeros_like(f)
            out[:, :, :5, :5] = torch.einsum(
                "bixy,ioxy->boxy", f[:, :, :5, :5], self.weight)
            return F.gelu(torch.fft.irfft2(out) + self.conv(x))
    return trainer(Spectral().to(device),
                   squares(torch.randn(2, 8, 16, 16, device=device)))


@program("more")
def gradient_penalty(device):
    critic = nn.Sequential(
        spectral_norm(nn.Conv2d(3, 8, 3, padding=1)), nn.LeakyReLU(0.2),
        nn.Flatten(), spectral_norm(nn.Linear(8 * 64, 1))).to(device)
    x = torch.randn(4, 3, 8, 8, device=device)

    def loss(model):
        at = x.clone().requires_grad_(True)
        slope, = torch.autograd.grad(model(at).sum(), at, create_graph=True)
        steep = (slope.flatten(1).norm(2, 1) - 1).square().mean()
        return model(x).mean() + steep
    return trainer(critic, loss, torch.optim.Adam(critic.parameters()))


@program("more")
def graph_attention(device):
    model = nn.ModuleList([nn.Linear(16, 32), nn.Linear(64, 1)]).to(device)
    x = torch.randn(40, 16, device=device)
    source, target = torch.randint(40, (2, 200), device=device)

    def loss(layers):
        h = layers[0](x)
        pairs = torch.cat([h[source], h[target]], -1)
        weights = F.leaky_relu(layers[1](pairs)).squeeze(-1).exp()
        zeros = torch.zeros(40, 1, device=device)
        total = zeros.index_add(0, target, weights[:, None])
        out = torch.zeros(40, 32, device=device).index_add(
            0, target, weights[:, None] * h[source])
        return (out / (total + 1e-9)).square().mean()
    return trainer(model, loss)


@program("more")
def clipped_relu6(device):
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.ReLU6(), nn.Dropout2d(0.1),
        nn.Conv2d(8, 8, 3), nn.Hardtanh()).to(device)
    optimizer = torch.optim.NAdam(model.parameters(), foreach=False)
    x = torch.randn(4, 3, 16, 16, device=device)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return step


class HandNorm(nn.Module):
    """Norms of rows, or of a batch, as programs write them themselves."""

    def __init__(self, kind, shape, dims=(-1,)):
        super().__init__()
        self.kind, self.dims = kind, dims
        self.weight = nn.Parameter(torch.ones(shape))
        self.bias = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        kept = {"dim": self.dims, "keepdim": True}
        if self.kind == "deviation":
            less = x - x.mean(**kept)
            scaled = self.weight * less / (x.std(**kept) + 1e-6)
        elif self.kind == "variance":
            mean, variance = x.mean(**kept), x.var(**kept, unbiased=False)
            scaled = self.weight * (x - mean) / torch.sqrt(variance + 1e-5)
        elif self.kind == "both":
            variance, mean = torch.var_mean(x, **kept, unbiased=False)
            scaled = (x - mean) * torch.rsqrt(variance + 1e-5) * self.weight
        else:
            mean = x.mean(**kept)
            variance = (x - mean).pow(2).mean(**kept)
            scaled = (x - mean) / torch.sqrt(variance + 1e-5) * self.weight
        return scaled + self.bias


@program("more")
def hand_norms(device):
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3), HandNorm("squares", (1, 8, 1, 1), (0, 2, 3)),
        nn.ReLU(), nn.Flatten(), nn.Linear(8 * 64, 48),
        HandNorm("deviation", 48), nn.GELU(), nn.Linear(48, 64),
        HandNorm("variance", 64), nn.GELU(), nn.Linear(64, 32),
        HandNorm("both", 32), nn.GELU(), nn.Linear(32, 16)).to(device)
    return trainer(model, squares(torch.randn(16, 3, 10, 10, device=device)))


class OwnGelu(torch.autograd.Function):
    """One node of autograd for several layers, as Bloom has it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 0.5 * (1 + torch.tanh(0.79788 * x * (1 + 0.0447 * x * x)))

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        t = torch.tanh(0.79788 * x * (1 + 0.0447 * x * x))
        slope = 0.5 * x * ((1 - t * t) * (0.79788 + 0.107 * x * x))
        return gradient * (slope + 0.5 * (1 + t))


@program("more")
def own_function(device):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

        def forward(self, x):
            return self.down(OwnGelu.apply(self.up(x)))
    model = nn.Sequential(Model(), nn.LayerNorm(32), Model()).to(device)
    return trainer(model, squares(torch.randn(64, 32, device=device)))
