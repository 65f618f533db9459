# SPDX-License-Identifier: Apache-2.0
"""Small forms of the programs that introduce PyTorch; see programs.py."""

import torch
import torch.nn.functional as F
from torch import nn

from programs import program


@program("more")
def generative_adversarial(device):
    generator = nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32),
        nn.ReLU(True), nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()).to(device)
    judge = nn.Sequential(
        nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2, True),
        nn.Conv2d(16, 1, 4, 1, 0), nn.Sigmoid()).to(device)
    of_judge = torch.optim.Adam(judge.parameters())
    of_generator = torch.optim.Adam(generator.parameters())
    real = torch.rand(8, 3, 8, 8, device=device)

    def loss(images, label):
        labels = torch.full((8,), label, device=device)
        return F.binary_cross_entropy(judge(images).view(-1), labels)

    def step():
        judge.zero_grad()
        loss(real, 1.0).backward()
        fake = generator(torch.randn(8, 16, 1, 1, device=device))
        loss(fake.detach(), 0.0).backward()
        of_judge.step()
        generator.zero_grad()
        loss(fake, 1.0).backward()
        of_generator.step()
    return step


@program("more")
def variational_autoencoder(device):
    encode = nn.Linear(64, 32).to(device)
    mean, log_variance = nn.Linear(32, 8).to(device), nn.Linear(32, 8).to(device)
    decode = nn.Sequential(
        nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 64)).to(device)
    optimizer = torch.optim.Adam(
        [p for m in (encode, mean, log_variance, decode)
         for p in m.parameters()])
    x = torch.rand(16, 64, device=device)

    def step():
        optimizer.zero_grad()
        h = F.relu(encode(x))
        mu, logvar = mean(h), log_variance(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        loss = F.binary_cross_entropy(
            torch.sigmoid(decode(z)), x, reduction="sum")
        loss = loss - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss.backward()
        optimizer.step()
    return step


@program("more")
def style_transfer(device):
    transform = nn.Sequential(
        nn.ReflectionPad2d(2), nn.Conv2d(3, 8, 5),
        nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
        nn.Upsample(scale_factor=2), nn.Conv2d(8, 3, 3, 2, 1)).to(device)
    features = nn.Sequential(
        nn.Conv2d(3, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 16, 3, 1, 1), nn.ReLU()).to(device).requires_grad_(False)
    optimizer = torch.optim.Adam(transform.parameters())
    x = torch.rand(4, 3, 16, 16, device=device)

    def gram(f):
        f = f.flatten(2)
        return f @ f.transpose(1, 2) / f[0].numel()

    style = gram(features(x[:1]))

    def step():
        optimizer.zero_grad()
        of_y, of_x = features(transform(x)), features(x)
        loss = F.mse_loss(of_y, of_x)
        loss = loss + F.mse_loss(gram(of_y), style.expand(4, -1, -1))
        loss.backward()
        optimizer.step()
    return step


@program("more")
def twins(device):
    trunk = nn.Sequential(
        nn.Conv2d(1, 16, 5, 2, 2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten()).to(device)
    head = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1),
                         nn.Sigmoid()).to(device)
    optimizer = torch.optim.Adadelta([*trunk.parameters(), *head.parameters()])
    a, b = torch.rand(2, 8, 1, 16, 16, device=device)
    same = torch.ones(8, device=device)

    def step():
        optimizer.zero_grad()
        both = torch.cat([trunk(a), trunk(b)], 1)
        F.binary_cross_entropy(head(both).squeeze(), same).backward()
        optimizer.step()
    return step


@program("more")
def truncated_backpropagation(device):
    embed = nn.Embedding(100, 32).to(device)
    cells = nn.LSTM(32, 32, 2, dropout=0.2).to(device)
    head = nn.Linear(32, 100).to(device)
    modules = nn.ModuleList([embed, cells, head])
    tokens = torch.zeros(9, 4, dtype=torch.long, device=device)
    state = [torch.zeros(2, 4, 32, device=device) for _ in range(2)]

    def step():
        modules.zero_grad()
        out, new = cells(F.dropout(embed(tokens[:-1]), 0.2), tuple(state))
        state[:] = [s.detach() for s in new]
        log = F.log_softmax(head(out).view(-1, 100), 1)
        F.nll_loss(log, tokens[1:].view(-1)).backward()
        nn.utils.clip_grad_norm_(modules.parameters(), 0.25)
        for p in modules.parameters():
            p.data.add_(p.grad, alpha=-20)
    return step


@program("more")
def translation(device):
    model = nn.Transformer(32, 2, 1, 1, 64, batch_first=True).to(device)
    source, target = nn.Embedding(50, 32), nn.Embedding(50, 32)
    modules = nn.ModuleList([model, source, target, nn.Linear(32, 50)])
    modules.to(device)
    optimizer = torch.optim.Adam(modules.parameters())
    x = torch.zeros(4, 8, dtype=torch.long, device=device)
    y = torch.zeros(4, 7, dtype=torch.long, device=device)

    def step():
        mask = nn.Transformer.generate_square_subsequent_mask(6, device)
        out = modules[3](model(source(x), target(y[:, :-1]), tgt_mask=mask))
        loss = F.cross_entropy(out.flatten(0, 1), y[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step


@program("more")
def running_loss(device):
    """As trainers of language models sum their loss after every batch."""
    model = nn.Sequential(
        nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(16, 32, device=device)
    y = torch.zeros(16, dtype=torch.long, device=device)
    total = torch.zeros((), device=device)

    def step():
        nonlocal total
        for _ in range(2):
            loss = F.cross_entropy(model(x), y) / 2
            loss.backward()
            loss = loss.detach()
            total += torch.where(torch.isnan(loss), total, loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        model.zero_grad()
    return step
