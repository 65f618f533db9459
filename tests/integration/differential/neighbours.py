# SPDX-License-Identifier: Apache-2.0
"""Programs whose kernels are told apart by their gradients and neighbours
alone, where no operator's name is recorded; see programs.py."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from programs import program, trainer


@program("more")
def clamped_losses(device):
    """Rectified layers beside ratios, angles and variances that are clamped."""
    body = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 16))
    x = torch.randn(16, 24, device=device)
    centres = torch.randn(10, 16, device=device)
    y = torch.arange(16, device=device) % 10

    def loss(model):
        z = model(x)
        cosine = F.linear(F.normalize(z), F.normalize(centres))
        angle = cosine.clamp(-1 + 1e-6, 1 - 1e-6).acos()
        ratio = torch.min(z, z.clamp(0.8, 1.2)).mean()
        spread = F.gaussian_nll_loss(z, z.detach(), F.softplus(z))
        ranks = F.margin_ranking_loss(z[:, 0], z[:, 1],
                                      torch.ones(16, device=device), 0.1)
        apart = F.hinge_embedding_loss(z, z.detach().sign(), 1.0)
        return F.cross_entropy(-angle, y) + ratio + spread + ranks + apart
    return trainer(body.to(device), loss)


@program("more")
def noisy_targets(device):
    """Noise is clamped without a gradient, between rectified layers."""
    actor = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    critic = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    both = nn.ModuleList([actor, critic]).to(device)
    state = torch.randn(16, 8, device=device)
    action = torch.randn(16, 2, device=device)

    def loss(models):
        with torch.no_grad():
            noise = (torch.randn_like(action) * 0.2).clamp(-0.5, 0.5)
            chosen = (models[0](state).tanh() + noise).clamp(-1, 1)
            goal = 0.9 * models[1](torch.cat([state, chosen], 1))
        return F.mse_loss(models[1](torch.cat([state, action], 1)), goal)
    optimizer = torch.optim.Adam(critic.parameters())
    return trainer(both, loss, optimizer)


@program("more")
def short_attentive_decoder(device):
    """A fused cell that runs five times, with attention between."""
    class Model(nn.Module):
        def __init__(self, width=32):
            super().__init__()
            self.cell = nn.GRUCell(2 * width, width)
            self.query = nn.Linear(width, width)
            self.key = nn.Linear(width, width)
            self.score = nn.Linear(width, 1)
            self.head = nn.Linear(width, 40)

        def forward(self, states, words):
            keys, state, outputs = self.key(states), states[:, 0], []
            for word in words.unbind(1):
                mixed = torch.tanh(self.query(state)[:, None] + keys)
                weight = self.score(mixed).squeeze(-1).softmax(-1)
                seen = torch.bmm(weight[:, None], states).squeeze(1)
                state = self.cell(torch.cat([word, seen], -1), state)
                outputs.append(self.head(state))
            return torch.stack(outputs, 1)
    states = torch.randn(4, 9, 32, device=device)
    words = torch.randn(4, 5, 32, device=device)
    return trainer(Model().to(device),
                   lambda m: m(states, words).square().mean())


@program("more")
def truth_masks(device):
    """A mask of truths, which a fused attention adds as numbers."""
    project = nn.Linear(32, 96).to(device, torch.float16)
    x = torch.randn(4, 24, 32, device=device, dtype=torch.float16)
    mask = torch.ones(4, 1, 24, 24, dtype=torch.bool, device=device)

    def loss(layer):
        q, k, v = (t.unflatten(-1, (4, 8)).transpose(1, 2)
                   for t in layer(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return y.float().square().mean()
    return trainer(project, loss)


@program("more")
def checkpointed_recurrence(device):
    """Layers with states of zeros, computed again inside a node."""
    layers = nn.ModuleList(nn.LSTM(24, 24, batch_first=True)
                           for _ in range(2)).to(device)
    x = torch.randn(4, 6, 24, device=device, requires_grad=True)

    def loss(model):
        y = x
        for layer in model:
            y = checkpoint(lambda z, layer=layer: F.relu(layer(z)[0]), y,
                           use_reentrant=True)
        return y.square().mean()
    return trainer(layers, loss)


@program("more")
def distances(device):
    """Between outputs of rectified layers, by a product, and of each one."""
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64),
                        nn.ReLU(), nn.Linear(64, 1)).to(device)
    x = torch.randn(64, 32, device=device)

    def loss(model):
        z = model(x)
        norms = z.square().sum(-1).clamp_min(1e-8).sqrt()
        return torch.cdist(z, z).mean() + norms.mean()
    return trainer(net, loss)


@program("more")
def chosen_actions(device):
    """A ratio of likelihoods is clipped; a rectified sum has a logarithm."""
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
    x, old, gain = (torch.randn(64, n, device=device) for n in (16, 1, 1))
    action = torch.randint(4, (64, 1), device=device)

    def loss(model):
        scores = model(x)
        ratio = (scores.log_softmax(-1).gather(1, action) - old).exp()
        kept = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
        return torch.log1p(F.relu(scores)).mean() - kept.mean()
    return trainer(net.to(device), loss)


@program("more")
def warped_features(device):
    """Features read at places between pixels, by cuDNN (RAFT)."""
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
                          nn.Conv2d(16, 2, 3, padding=1)).to(device)
    first = torch.randn(2, 3, 32, 32, device=device)
    other = torch.randn(2, 3, 32, 32, device=device)

    def loss(model):
        places = model(first).tanh().permute(0, 2, 3, 1)
        warped = F.grid_sample(other, places, align_corners=True)
        return F.l1_loss(warped, first)
    return trainer(model, loss)


class MeanSquareNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(x.dtype)


@program("more")
def mean_square_norms(device):
    """Norms that the program writes itself, before gated layers."""
    class Block(nn.Module):
        def __init__(self, width=64):
            super().__init__()
            self.norm = MeanSquareNorm(width)
            self.gate = nn.Linear(width, 2 * width, bias=False)
            self.up = nn.Linear(width, 2 * width, bias=False)
            self.down = nn.Linear(2 * width, width, bias=False)

        def forward(self, x):
            y = self.norm(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))
    model = nn.Sequential(nn.Linear(64, 64), Block(), Block(),
                          MeanSquareNorm(64), nn.Linear(64, 10)).to(device)
    x = torch.randn(4, 24, 64, device=device)
    y = torch.arange(96, device=device) % 10

    def loss(model):
        return F.cross_entropy(model(x).flatten(0, 1), y)
    return trainer(model, loss)


@program("more")
def relative_positions(device):
    """Scores by content and by distances, as DeBERTa adds them up."""
    heads, size, far = 4, 16, 16

    class Attention(nn.Module):
        def __init__(self, width=heads * size):
            super().__init__()
            self.query = nn.Linear(width, width)
            self.key = nn.Linear(width, width)
            self.value = nn.Linear(width, width)
            self.places = nn.Parameter(torch.randn(2 * far, width))
            self.out = nn.Linear(width, width)

        def forward(self, x):
            def by_head(y):
                y = y.unflatten(-1, (heads, size))
                return y.transpose(-2, -3).reshape(-1, y.shape[-3], size)
            query, key, value = (by_head(f(x)) for f in (
                self.query, self.key, self.value))
            places = self.places.expand(len(x), -1, -1)
            at = torch.arange(x.shape[1], device=x.device)
            index = (at[:, None] - at + far).clamp(0, 2 * far - 1)
            index = index.expand(len(query), -1, -1)
            scores = query @ (key / size ** 0.5).mT
            to_place = query @ by_head(self.key(places)).mT
            scores = scores + to_place.gather(-1, index)
            from_place = key @ by_head(self.query(places)).mT
            scores = scores + from_place.gather(-1, index).mT
            y = scores.softmax(-1) @ value
            y = y.unflatten(0, (len(x), heads)).transpose(1, 2).flatten(2)
            return self.out(y)
    width = heads * size
    model = nn.Sequential(nn.Linear(width, width), Attention(),
                          nn.LayerNorm(width), Attention(),
                          nn.Linear(width, 10)).to(device)
    x = torch.randn(2, 24, width, device=device)
    y = torch.arange(48, device=device) % 10

    def loss(model):
        return F.cross_entropy(model(x).flatten(0, 1), y)
    return trainer(model, loss)
