# SPDX-License-Identifier: Apache-2.0
"""Programs at the corners of rules: cells with norms, narrow tables, cleared
gradients, hinges without gradients; see programs.py."""

import torch
import torch.nn.functional as F
from torch import nn

from programs import program, trainer


class NormedCell(nn.Module):
    """An LSTM's cell whose products and state are normalized."""

    def __init__(self, inner, width):
        super().__init__()
        self.of_input = nn.Linear(inner, 4 * width, bias=False)
        self.of_state = nn.Linear(width, 4 * width, bias=False)
        self.norms = nn.ModuleList(nn.LayerNorm(n)
                                   for n in (4 * width, 4 * width, width))

    def forward(self, x, state):
        h, c = state
        gates = (self.norms[0](self.of_input(x)) +
                 self.norms[1](self.of_state(h)))
        i, f, o, g = gates.chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * self.norms[2](c).tanh(), c


@program("more")
def normed_cells(device):
    """A hand-made LSTM with layer norms, between an embedding and a head."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(50, 24)
            self.cell, self.head = NormedCell(24, 32), nn.Linear(32, 50)

        def forward(self, words):
            x = self.embedding(words)
            state = 2 * [x.new_zeros(len(words), 32)]
            outs = []
            for t in range(words.shape[1]):
                state = self.cell(x[:, t], state)
                outs.append(state[0])
            return self.head(torch.stack(outs, 1))
    words = torch.randint(50, (8, 12), device=device)
    return trainer(Model().to(device), lambda model: F.cross_entropy(
        model(words).flatten(0, 1), words.flatten()))


@program("more")
def normed_recurrence(device):
    """h = tanh(norm(W x + U h)), sixteen times; of a batch in no order."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.of_input, self.of_state = nn.Linear(16, 32), nn.Linear(32, 32)
            self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 4)

        def forward(self, frames):
            h = frames.new_zeros(frames.shape[1], 32)
            for frame in frames:
                h = self.norm(self.of_input(frame) + self.of_state(h)).tanh()
            return self.head(h)
    frames = torch.randn(16, 8, 16, device=device)
    y = torch.arange(8, device=device) % 4
    return trainer(Model().to(device),
                   lambda model: F.cross_entropy(model(frames), y))


@program("more")
def hinges_without_gradients(device):
    """What a judge thinks of images, and how far off it is; no training."""
    judge = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.LeakyReLU(0.2),
                          nn.Flatten(), nn.Linear(16 * 225, 1)).to(device)
    real, made = (torch.randn(4, 3, 32, 32, device=device) for _ in range(2))

    @torch.no_grad()
    def step():
        off = F.relu(1 - judge(real)).mean() + F.relu(1 + judge(made)).mean()
        return off.clamp(max=4)
    return step


@program("more")
def narrow_tables(device):
    """Embeddings of one, two and three numbers a row."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(100, n)
                                        for n in (1, 2, 3))
            self.head = nn.Linear(6 * 4, 1)

        def forward(self, rows):
            x = torch.cat([table(rows) for table in self.tables], -1)
            return self.head(x.flatten(1))
    rows = torch.randint(100, (16, 4), device=device)
    return trainer(Model().to(device),
                   lambda model: model(rows).sigmoid().mean())


@program("more")
def cleared_gradients(device):
    """Gradients are set to zero, not dropped: before, between, after."""
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(),
                          nn.Linear(32, 4)).to(device)
    first = torch.optim.SGD(model[0].parameters(), lr=0.1, momentum=0.9)
    other = torch.optim.Adam(model[2].parameters(), foreach=False)
    x = torch.randn(8, 16, device=device)
    y = torch.arange(8, device=device) % 4

    def step():
        first.zero_grad(set_to_none=False)
        loss = F.cross_entropy(model(x), y)
        other.zero_grad(set_to_none=False)
        loss.backward()
        first.step()
        other.step()
        model.zero_grad(set_to_none=False)
    return step


@program("more")
def growing_images(device):
    """A GAN that grows: three sizes of images, six iterations each."""
    width = 16
    make = nn.ModuleList([nn.ConvTranspose2d(8, width, 4)] + [
        nn.Conv2d(width, width, 3, padding=1) for _ in range(2)]).to(device)
    judge = nn.ModuleList([nn.Linear(width * 16, 1)] + [
        nn.Conv2d(width, width, 3, padding=1) for _ in range(2)]).to(device)
    to_image = nn.ModuleList(nn.Conv2d(width, 3, 1)
                             for _ in range(3)).to(device)
    of_image = nn.ModuleList(nn.Conv2d(3, width, 1)
                             for _ in range(3)).to(device)
    makes = torch.optim.Adam([*make.parameters(), *to_image.parameters()])
    judges = torch.optim.Adam([*judge.parameters(), *of_image.parameters()])
    grown = [0]

    def made(stage):
        x = make[0](torch.randn(4, 8, 1, 1, device=device))
        for layer in make[1:1 + stage]:
            x = F.leaky_relu(layer(F.interpolate(x, scale_factor=2)), 0.2)
        return to_image[stage](x).tanh()

    def judged(x, stage):
        x = F.leaky_relu(of_image[stage](x), 0.2)
        for layer in reversed(judge[1:1 + stage]):
            x = F.avg_pool2d(F.leaky_relu(layer(x), 0.2), 2)
        return judge[0](x.flatten(1))

    def iteration(stage):
        real = torch.randn(4, 3, 4 * 2 ** stage, 4 * 2 ** stage, device=device)
        loss = (F.softplus(-judged(real, stage)).mean() +
                F.softplus(judged(made(stage).detach(), stage)).mean())
        judges.zero_grad()
        loss.backward()
        judges.step()
        makes.zero_grad()
        F.softplus(-judged(made(stage), stage)).mean().backward()
        makes.step()

    def step():
        for _ in range(6):
            iteration(grown[0])
        grown[0] += 1
    return step


@program("more")
def entropy_temperature(device):
    """A temperature is learnt behind the actor: its loss has no layers."""
    actor = nn.Sequential(nn.Linear(12, 64), nn.Tanh(),
                          nn.Linear(64, 8)).to(device)
    log_alpha = torch.zeros(1, device=device, requires_grad=True)
    of_actor = torch.optim.Adam(actor.parameters())
    of_alpha = torch.optim.Adam([log_alpha])

    def step():
        x = torch.zeros(32, 12).to(device)
        mean, scale = actor(x).chunk(2, -1)
        noise = torch.randn_like(mean)
        entropy = (0.5 * noise ** 2 + scale).sum(-1)
        of_actor.zero_grad()
        loss = (mean + noise * scale.exp()).square().sum(-1)
        (loss - log_alpha.exp().detach() * entropy).mean().backward()
        of_actor.step()
        of_alpha.zero_grad()
        (log_alpha * (entropy.detach() - 4)).mean().backward()
        of_alpha.step()
    return step


@program("more")
def batched_experts(device):
    """Experts as batched products; a router's softmax lies between two blocks
    of them, whose products fit each other."""
    class Experts(nn.Module):
        def __init__(self, width=32, hidden=64, experts=8):
            super().__init__()
            self.router = nn.Linear(width, experts)
            self.up = nn.Parameter(0.1 * torch.randn(experts, width, hidden))
            self.down = nn.Parameter(0.1 * torch.randn(experts, hidden, width))

        def forward(self, x):
            chances = self.router(x).softmax(-1)
            groups = x.view(len(self.up), -1, x.shape[1])
            hidden = F.gelu(torch.bmm(groups, self.up))
            out = torch.bmm(hidden, self.down).view(x.shape)
            return out * chances.mean(-1, keepdim=True)
    model = nn.Sequential(Experts(), Experts()).to(device)
    x = torch.randn(128, 32, device=device)
    return trainer(model, lambda m: m(x).square().mean())


@program("more")
def graphed_body(device):
    """A part of the model is captured forward and backward."""
    body = nn.Sequential(nn.Linear(32, 64), nn.ReLU(),
                         nn.Linear(64, 64)).to(device)
    head = nn.Linear(64, 4).to(device)
    x = torch.randn(16, 32, device=device)
    y = torch.randint(4, (16,), device=device)
    graphed = torch.cuda.make_graphed_callables(body, (x,))
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
    return trainer(head, lambda m: F.cross_entropy(m(graphed(x)), y), optimizer)


@program("more")
def informed_by_physics(device):
    """The residual of an equation is made of gradients of gradients."""
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32),
                          nn.Tanh(), nn.Linear(32, 1)).to(device)
    border = torch.rand(16, 2, device=device)
    values = torch.rand(16, 1, device=device)

    def loss(m):
        x = torch.rand(64, 2, device=device, requires_grad=True)
        u = m(x)
        first, = torch.autograd.grad(u.sum(), x, create_graph=True)
        second, = torch.autograd.grad(first[:, 0].sum(), x, create_graph=True)
        residual = first[:, 1:] + u * first[:, :1] - 0.1 * second[:, :1]
        return residual.square().mean() + F.mse_loss(m(border), values)
    return trainer(model, loss, torch.optim.Adam(model.parameters()))


@program("more")
def attacked_inputs(device):
    """Inputs move along their gradient before the model learns of them."""
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
                          nn.MaxPool2d(4), nn.Flatten(),
                          nn.Linear(16 * 16, 10)).to(device)
    x = torch.randn(8, 3, 16, 16, device=device)
    y = torch.randint(10, (8,), device=device)

    def loss(m):
        noise = torch.zeros_like(x)
        for _ in range(2):
            noise.requires_grad_()
            gradient, = torch.autograd.grad(F.cross_entropy(m(x + noise), y),
                                            noise)
            moved = noise.detach() + 0.01 * gradient.sign()
            noise = moved.clamp(-0.03, 0.03)
        return F.cross_entropy(m(x + noise), y)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return trainer(model, loss, optimizer)
