# SPDX-License-Identifier: Apache-2.0
"""Small forms of programs from other fields of use; see programs.py."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations, rnn

from programs import program


def training(model, loss, optimizer=torch.optim.AdamW):
    """A step of `model`, whose loss needs no argument."""
    chosen = optimizer(model.parameters(), lr=1e-3)

    def step():
        chosen.zero_grad()
        loss().backward()
        chosen.step()
    return step


@program("more")
def point_cloud(device):
    """PointNet: a shared perceptron, the maximum over points."""
    model = nn.Sequential(
        nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(),
        nn.Conv1d(64, 256, 1), nn.BatchNorm1d(256), nn.ReLU(),
        nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(256, 40)).to(device)
    points = torch.randn(8, 3, 512, device=device)
    kinds = torch.randint(40, (8,), device=device)
    return training(model, lambda: F.cross_entropy(model(points), kinds))


@program("more")
def normalizing_flow(device):
    """RealNVP: affine couplings, each half scaled by the other."""
    halves = nn.ModuleList(
        nn.Sequential(nn.Linear(32, 256), nn.Tanh(), nn.Linear(256, 64))
        for _ in range(4)).to(device)
    data = torch.randn(256, 64, device=device)

    def loss():
        a, b = data.chunk(2, 1)
        log_scale = 0
        for net in halves:
            scale, shift = net(a).chunk(2, 1)
            a, b = b * torch.tanh(scale).exp() + shift, a
            log_scale = log_scale + torch.tanh(scale).sum(1)
        return (0.5 * (a.square() + b.square()).sum(1) - log_scale).mean()
    return training(halves, loss)


@program("more")
def neural_differential_equation(device):
    """The classic Runge-Kutta method over one small network."""
    field = nn.Sequential(nn.Linear(16, 128), nn.Softplus(),
                          nn.Linear(128, 16)).to(device)
    start = torch.randn(512, 16, device=device)
    goal = torch.randn(512, 16, device=device)

    def loss():
        state, width = start, 0.1
        for _ in range(5):
            a = field(state)
            b = field(state + width / 2 * a)
            c = field(state + width / 2 * b)
            d = field(state + width * c)
            state = state + width / 6 * (a + 2 * b + 2 * c + d)
        return F.mse_loss(state, goal)
    return training(field, loss)


@program("more")
def masked_language_model(device):
    """An encoder whose output shares the weights of its embedding."""
    words = nn.Embedding(1000, 64)
    body = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(64, 4, 128, batch_first=True,
                                   activation="gelu", norm_first=True), 2,
        enable_nested_tensor=False)
    model = nn.ModuleList([words, body]).to(device)
    tokens = torch.randint(1000, (8, 48), device=device)
    hidden = torch.rand(8, 48, device=device) < 0.15

    def loss():
        scores = F.linear(body(words(tokens)), words.weight)
        return F.cross_entropy(scores.view(-1, 1000),
                               torch.where(hidden, tokens, -100).view(-1))
    return training(model, loss)


@program("more")
def cached_decoding(device):
    """Tokens one by one, keys and values kept."""
    width, heads, layers = 64, 4, 2
    projections = [(nn.Linear(width, 3 * width), nn.Linear(width, width))
                   for _ in range(layers)]
    for pair in projections:
        for module in pair:
            module.to(device)
    words = nn.Embedding(500, width).to(device)

    @torch.no_grad()
    def step():
        token = torch.zeros(4, 1, dtype=torch.long, device=device)
        kept = [None] * layers
        for _ in range(8):
            x = words(token)
            for i, (inner, outer) in enumerate(projections):
                q, k, v = (t.view(4, 1, heads, -1).transpose(1, 2)
                           for t in inner(x).chunk(3, -1))
                if kept[i] is not None:
                    k = torch.cat([kept[i][0], k], 2)
                    v = torch.cat([kept[i][1], v], 2)
                kept[i] = k, v
                y = F.scaled_dot_product_attention(q, k, v)
                x = x + outer(y.transpose(1, 2).reshape(4, 1, width))
            token = F.linear(x, words.weight).argmax(-1)
    return step


@program("more")
def detection_head(device):
    """Boxes, classes and focal loss over three scales."""
    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32),
                nn.SiLU())
            self.stages = nn.ModuleList(
                nn.Sequential(nn.Conv2d(32, 32, 3, 2, 1, bias=False),
                              nn.BatchNorm2d(32), nn.SiLU())
                for _ in range(3))
            self.heads = nn.ModuleList(nn.Conv2d(32, 8, 1) for _ in range(3))

        def forward(self, images):
            x = self.stem(images)
            found = []
            for stage, head in zip(self.stages, self.heads):
                x = stage(x)
                found.append(head(x).flatten(2))
            return torch.cat(found, 2)
    model = Detector().to(device)
    images = torch.randn(4, 3, 64, 64, device=device)

    def loss():
        found = model(images)
        boxes, scores = found[:, :4], found[:, 4:]
        truth = torch.zeros_like(scores)
        each = F.binary_cross_entropy_with_logits(scores, truth,
                                                  reduction="none")
        focal = ((1 - torch.exp(-each)) ** 2 * each).mean()
        return focal + F.smooth_l1_loss(boxes, torch.zeros_like(boxes))
    return training(model, loss, torch.optim.SGD)


@program("more")
def spectral_judge(device):
    """A judge under spectral norm and a hinge loss."""
    judge = nn.Sequential(
        parametrizations.spectral_norm(nn.Conv2d(3, 32, 4, 2, 1)),
        nn.LeakyReLU(0.2),
        parametrizations.spectral_norm(nn.Conv2d(32, 64, 4, 2, 1)),
        nn.LeakyReLU(0.2), nn.Flatten(),
        parametrizations.spectral_norm(nn.Linear(64 * 64, 1))).to(device)
    real = torch.randn(8, 3, 32, 32, device=device)
    fake = torch.randn(8, 3, 32, 32, device=device)
    return training(judge, lambda: F.relu(1 - judge(real)).mean() +
                    F.relu(1 + judge(fake)).mean(), torch.optim.Adam)


@program("more")
def language_model_lstm(device):
    """Packed sequences, dropout between layers, clipped gradients."""
    words, cells = nn.Embedding(400, 64), nn.LSTM(64, 64, 2, dropout=0.5,
                                                  batch_first=True)
    model = nn.ModuleList([words, cells]).to(device)
    tokens = torch.randint(400, (8, 20), device=device)
    lengths = torch.tensor([20, 18, 17, 12, 11, 9, 5, 2])
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9,
                                nesterov=True)

    def step():
        packed = rnn.pack_padded_sequence(words(tokens), lengths,
                                          batch_first=True)
        out, _ = rnn.pad_packed_sequence(cells(packed)[0], batch_first=True)
        scores = F.linear(out, words.weight)
        optimizer.zero_grad()
        F.cross_entropy(scores.reshape(-1, 400), tokens.view(-1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    return step


@program("more")
def convolutional_lstm(device):
    """Gates by convolution, over eight frames."""
    gates = nn.Conv2d(3 + 16, 64, 3, padding=1).to(device)
    frames = torch.randn(8, 4, 3, 24, 24, device=device)

    def loss():
        h = c = torch.zeros(4, 16, 24, 24, device=device)
        for frame in frames:
            i, f, g, o = gates(torch.cat([frame, h], 1)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h.square().mean()
    return training(gates, loss)


@program("more")
def orthogonal_updates(device):
    """Muon: gradients made orthogonal by five Newton-Schulz iterations."""
    model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(),
                          nn.Linear(256, 10)).to(device)
    data = torch.randn(64, 128, device=device)
    kinds = torch.randint(10, (64,), device=device)

    def step():
        loss = F.cross_entropy(model(data), kinds)
        for weight, slope in zip(model.parameters(), torch.autograd.grad(
                loss, list(model.parameters()))):
            with torch.no_grad():
                if slope.ndim == 2:
                    x = slope / (slope.norm() + 1e-7)
                    for _ in range(5):
                        a = x @ x.T
                        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                    slope = x
                weight.add_(slope, alpha=-0.02)
    return step


@program("more")
def sparse_embeddings(device):
    """Bags of words whose gradients stay sparse."""
    bags = nn.EmbeddingBag(2000, 32, mode="mean", sparse=True).to(device)
    top = nn.Linear(32, 5).to(device)
    of_bags = torch.optim.SparseAdam(bags.parameters())
    of_top = torch.optim.Adagrad(top.parameters())
    words = torch.randint(2000, (64, 12), device=device)
    kinds = torch.randint(5, (64,), device=device)

    def step():
        of_bags.zero_grad()
        of_top.zero_grad()
        F.cross_entropy(top(bags(words)), kinds).backward()
        of_bags.step()
        of_top.step()
    return step


@program("more")
def gradients_of_samples(device):
    """torch.func: the gradient of each sample by vmap, clipped and added."""
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(),
                          nn.Linear(64, 4)).to(device)
    weights = {k: v.detach() for k, v in model.named_parameters()}
    data = torch.randn(64, 32, device=device)
    kinds = torch.randint(4, (64,), device=device)

    def loss(values, sample, kind):
        scores = torch.func.functional_call(model, values, (sample[None],))
        return F.cross_entropy(scores, kind[None])
    slopes = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))

    def step():
        for name, slope in slopes(weights, data, kinds).items():
            size = slope.flatten(1).norm(dim=1)
            scale = (1.0 / (size + 1e-6)).clamp(max=1.0)
            weights[name].sub_(
                torch.einsum("b,b...->...", scale, slope), alpha=0.01)
    return step


@program("more")
def spatial_transformer(device):
    """Images warped by a grid that a small network gives."""
    place = nn.Sequential(nn.Conv2d(1, 8, 7), nn.MaxPool2d(2), nn.ReLU(),
                          nn.Flatten(), nn.Linear(8 * 121, 6))
    judge = nn.Sequential(nn.Conv2d(1, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
                          nn.Dropout2d(), nn.Flatten(),
                          nn.Linear(16 * 144, 10))
    model = nn.ModuleList([place, judge]).to(device)
    images = torch.randn(16, 1, 28, 28, device=device)
    kinds = torch.randint(10, (16,), device=device)

    def loss():
        grid = F.affine_grid(place(images).view(-1, 2, 3), images.shape,
                             align_corners=False)
        seen = F.grid_sample(images, grid, align_corners=False)
        return F.nll_loss(F.log_softmax(judge(seen), 1), kinds)
    return training(model, loss, torch.optim.Adadelta)


@program("more")
def segmentation(device):
    """Up-sampling by interpolation, a Dice loss, in bfloat16."""
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, 2, 1), nn.InstanceNorm2d(32, affine=True),
        nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 2, dilation=2), nn.ReLU(),
        nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
        nn.Conv2d(32, 4, 1)).to(device)
    images = torch.randn(4, 3, 64, 64, device=device)
    truth = F.one_hot(torch.randint(4, (4, 64, 64), device=device),
                      4).permute(0, 3, 1, 2).float()

    def loss():
        with torch.autocast(device, torch.bfloat16):
            share = model(images).softmax(1)
        both = (share * truth).sum((2, 3))
        return 1 - (2 * both / (share.sum((2, 3)) + truth.sum((2, 3)))).mean()
    return training(model, loss, torch.optim.RMSprop)


@program("more")
def optimal_transport(device):
    """Sinkhorn's iterations in logarithms between two batches of features."""
    net = nn.Linear(32, 16).to(device)
    a = torch.randn(128, 32, device=device)
    b = torch.randn(128, 16, device=device)

    def loss():
        cost = torch.cdist(net(a), b)
        u = v = torch.zeros(128, device=device)
        for _ in range(6):
            u = -torch.logsumexp(v[None] - cost, 1)
            v = -torch.logsumexp(u[:, None] - cost, 0)
        return ((u[:, None] + v[None] - cost).exp() * cost).sum()
    return training(net, loss)


@program("more")
def capsules(device):
    """Dynamic routing: batched products, squashing, softmax over votes."""
    weights = nn.Parameter(torch.randn(72, 10, 16, 8, device=device) * 0.1)
    inputs = torch.randn(16, 72, 8, device=device)
    optimizer = torch.optim.NAdam([weights])

    def step():
        votes = torch.einsum("niod,bid->bino", weights.transpose(0, 1), inputs)
        logits = torch.zeros(16, 72, 10, device=device)
        for _ in range(3):
            share = logits.softmax(-1)
            s = (share[..., None] * votes).sum(1)
            size = s.square().sum(-1, keepdim=True)
            out = size / (1 + size) * s / (size + 1e-8).sqrt()
            logits = logits + (votes * out[:, None]).sum(-1)
        optimizer.zero_grad()
        F.multi_margin_loss(out.norm(dim=-1), torch.zeros(
            16, dtype=torch.long, device=device)).backward()
        optimizer.step()
    return step
