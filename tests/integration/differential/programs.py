# SPDX-License-Identifier: Apache-2.0
"""Small PyTorch programs that are traced in two ways and must come out alike.

To add one, write a function under `@program("more")` that builds a model on `device`
and returns a function that does one step. Keep its kernels few and its shapes
small; no step may depend on a value that was computed.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

PROGRAMS = {}  # name -> function(device)


def program(group):
    """`gate` runs with every test, `more` and `code` with the frameworks';
    `code` generates kernels and needs the newest PyTorch."""
    def register(build):
        assert group in ("gate", "more", "code")
        PROGRAMS[build.__name__] = build
        return build
    return register


def trainer(model, loss_of, optimizer=None):
    """One step: forward, backward, update."""
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()
    return step


def squares(*inputs):
    """The loss of a model that is called with `inputs`."""
    return lambda model: model(*inputs).float().square().mean()


# Convolutions


class Cnn(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(width)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.stem(x))), 2)
        x = x + F.relu(self.norm2(self.conv(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


@program("gate")
def cnn(device):
    model = Cnn().to(device)
    x = torch.randn(8, 3, 32, 32, device=device)
    y = torch.randint(10, (8,), device=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return trainer(model, lambda m: F.cross_entropy(m(x), y), optimizer)


@program("more")
def cnn_channels_last_amp(device):
    model = Cnn().to(device).to(memory_format=torch.channels_last)
    x = torch.randn(8, 3, 32, 32, device=device)
    y = torch.randint(10, (8,), device=device)

    def loss(m):
        with torch.autocast(device, dtype=torch.bfloat16):
            return F.cross_entropy(m(x), y)
    return trainer(model, loss)


@program("gate")
def unet(device):
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(4, 16, 3, padding=1)
            self.middle = nn.Conv2d(16, 16, 3, stride=2, padding=1)
            self.norm = nn.GroupNorm(4, 16)
            self.up = nn.ConvTranspose2d(16, 16, 2, stride=2)
            self.out = nn.Conv2d(32, 4, 1)

        def forward(self, x):
            kept = F.silu(self.down(x))
            x = self.up(F.silu(self.norm(self.middle(kept))))
            return self.out(torch.cat([kept, x], 1))
    return trainer(UNet().to(device),
                   squares(torch.randn(4, 4, 32, 32, device=device)))


@program("more")
def depthwise(device):
    model = nn.Sequential(
        nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.BatchNorm2d(16),
        nn.Hardswish(), nn.Conv2d(16, 32, 1),
        nn.AvgPool2d(2)).to(device)
    return trainer(model, squares(torch.randn(4, 16, 16, 16, device=device)))


@program("more")
def depthwise_inference(device):
    """MobileNet's and ConvNeXt's kind, with strides and two filters a channel."""
    def of(c, size, stride, filters=1):
        return nn.Conv2d(c, filters * c, size, stride, size // 2, groups=c)
    model = nn.Sequential(of(16, 3, 1), nn.Hardswish(), of(16, 5, 2),
                          nn.Conv2d(16, 32, 1), of(32, 7, 1),
                          of(32, 3, 2, 2)).to(device).eval()
    x = torch.randn(4, 16, 24, 40, device=device)

    def step():
        with torch.no_grad():
            model(x)
            with torch.autocast("cuda", torch.bfloat16):
                model(x)
    return step


@program("more")
def convolutions_1d_3d(device):
    one = nn.Conv1d(8, 16, 5, padding=2).to(device)
    three = nn.Conv3d(4, 8, 3, padding=1).to(device)
    x = torch.randn(4, 8, 64, device=device)
    y = torch.randn(2, 4, 8, 8, 8, device=device)
    both = nn.ModuleList([one, three])
    return trainer(both, lambda m: m[0](x).mean() + m[1](y).square().mean())


@program("gate")
def gan(device):
    make = nn.Sequential(
        nn.ConvTranspose2d(16, 32, 4), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 3, 4, 2, 1), nn.Tanh()).to(device)
    judge = nn.Sequential(
        nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Conv2d(32, 1, 4)).to(device)
    judges = torch.optim.Adam(judge.parameters(), lr=1e-4)
    makes = torch.optim.Adam(make.parameters(), lr=1e-4)
    real = torch.randn(8, 3, 8, 8, device=device)

    def step():
        noise = torch.randn(8, 16, 1, 1, device=device)
        fake = make(noise)
        judges.zero_grad()
        (judge(fake.detach()).mean() - judge(real).mean()).backward()
        judges.step()
        makes.zero_grad()
        (-judge(fake).mean()).backward()
        makes.step()
    return step


# Recurrent


def language_model(cell, device, **options):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(100, 32)
            self.rnn = cell(32, 64, batch_first=True, **options)
            wide = 128 if options.get("bidirectional") else 64
            self.head = nn.Linear(wide, 100)

        def forward(self, tokens):
            return self.head(self.rnn(self.embed(tokens))[0])
    tokens = torch.randint(100, (8, 16), device=device)
    return trainer(Model().to(device), lambda m: F.cross_entropy(
        m(tokens).flatten(0, 1), tokens.flatten()))


@program("gate")
def lstm(device):
    return language_model(nn.LSTM, device, num_layers=2, dropout=0.1)


@program("more")
def gru_bidirectional(device):
    return language_model(nn.GRU, device, bidirectional=True)


@program("gate")
def hand_made_lstm(device):
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.x = nn.Linear(32, 4 * 64)
            self.h = nn.Linear(64, 4 * 64)
            self.head = nn.Linear(64, 10)

        def forward(self, xs):
            h = c = xs.new_zeros(xs.shape[0], 64)
            for x in xs.unbind(1):
                i, f, g, o = (self.x(x) + self.h(h)).chunk(4, -1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
            return self.head(h)
    return trainer(Cell().to(device),
                   squares(torch.randn(8, 12, 32, device=device)))


@program("more")
def lstm_cells(device):
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(32, 32)
            self.head = nn.Linear(32, 20)

        def forward(self, x):
            state = None
            out = []
            for _ in range(10):
                state = self.cell(x, state)
                out.append(self.head(state[0]))
            return torch.stack(out)
    return trainer(Decoder().to(device),
                   squares(torch.randn(8, 32, device=device)))


@program("more")
def speech_ctc(device):
    class Speech(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 8, 3, stride=2, padding=1)
            self.rnn = nn.GRU(8 * 20, 32, batch_first=True)
            self.head = nn.Linear(32, 30)

        def forward(self, x):
            x = F.hardtanh(self.conv(x), 0, 20)
            x = self.rnn(x.permute(0, 2, 1, 3).flatten(2))[0]
            return F.log_softmax(self.head(x), -1).transpose(0, 1)
    x = torch.randn(4, 1, 64, 40, device=device)
    y = torch.randint(1, 30, (4, 10), device=device)
    lengths = torch.full((4,), 32), torch.full((4,), 10)
    return trainer(Speech().to(device),
                   lambda m: F.ctc_loss(m(x), y, *lengths))


# Attention


class Block(nn.Module):
    """A block of a transformer around `attend(q, k, v)`."""

    def __init__(self, attend, width=64, heads=2):
        super().__init__()
        self.attend = attend
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def forward(self, x):
        qkv = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = self.attend(q, k, v).transpose(1, 2).flatten(2)
        x = x + self.project(y)
        return x + self.mlp(self.norm2(x))


def transformer(device, attend, dtype=torch.float32, layers=2):
    model = nn.Sequential(*(Block(attend) for _ in range(layers)))
    x = torch.randn(4, 64, 64, device=device, dtype=dtype)
    return trainer(model.to(device, dtype), squares(x))


def sdpa_with(backend, causal):
    def attend(q, k, v):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return attend


@program("gate")
def sdpa_flash(device):
    return transformer(device, sdpa_with(SDPBackend.FLASH_ATTENTION, True),
                       torch.bfloat16)


@program("more")
def checkpointed_attention_dropout(device):
    """Heads that share keys; the states of its random numbers are a kernel."""
    project = nn.Linear(64, 96).to(device, torch.bfloat16)
    x = torch.randn(4, 100, 64, device=device, dtype=torch.bfloat16)

    def attend(x):
        q, k, v = (t.unflatten(-1, (-1, 16)).transpose(1, 2)
                   for t in project(x).split([64, 16, 16], -1))
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.1,
                                              enable_gqa=True)
    return trainer(project, lambda _: checkpoint(
        attend, x, use_reentrant=False).square().mean())


@program("gate")
def sdpa_efficient(device):
    return transformer(device, sdpa_with(SDPBackend.EFFICIENT_ATTENTION, True))


@program("gate")
def sdpa_cudnn(device):
    return transformer(device, sdpa_with(SDPBackend.CUDNN_ATTENTION, False),
                       torch.bfloat16)


@program("gate")
def sdpa_math(device):
    return transformer(device, sdpa_with(SDPBackend.MATH, False))


@program("more")
def sdpa_math_causal_half(device):
    return transformer(device, sdpa_with(SDPBackend.MATH, True),
                       torch.float16)


def by_hand(q, k, v):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return F.dropout(scores.softmax(-1), 0.1) @ v


@program("gate")
def manual_attention(device):
    return transformer(device, by_hand)


@program("more")
def masked_attention(device):
    mask = torch.ones(64, 64, dtype=torch.bool, device=device).tril()

    def attend(q, k, v):
        scores = torch.einsum("bhqd,bhkd->bhqk", q * 0.125, k)
        scores = scores.masked_fill(~mask, float("-inf"))
        return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
    return transformer(device, attend)


@program("more")
def encoder_layers(device):
    layer = nn.TransformerEncoderLayer(64, 2, 128, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).to(device)
    return trainer(model, squares(torch.randn(4, 32, 64, device=device)))


@program("gate")
def encoder_fast_path(device):
    layer = nn.TransformerEncoderLayer(64, 2, 128, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).to(device).eval()
    # Brought in each step: of equal layers without input, the longest pause
    # would say where a step begins, and a busy machine where that is.
    x = torch.randn(4, 32, 64).pin_memory()

    def step():
        with torch.inference_mode():
            model(x.to(device, non_blocking=True))
    return step


def rotate(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


class LlamaBlock(nn.Module):
    def __init__(self, width=64, heads=4, kv_heads=2):
        super().__init__()
        self.head = width // heads
        self.norm1 = nn.RMSNorm(width)
        self.norm2 = nn.RMSNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * kv_heads * self.head, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x, cos, sin):
        y = self.norm1(x)
        q = self.q(y).unflatten(-1, (-1, self.head)).transpose(1, 2)
        k, v = self.kv(y).unflatten(-1, (2, -1, self.head)).permute(
            2, 0, 3, 1, 4)
        q, k = (z * cos + rotate(z) * sin for z in (q, k))
        k, v = (z.repeat_interleave(2, 1) for z in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.embed = nn.Embedding(128, 64)
        self.blocks = nn.ModuleList(LlamaBlock() for _ in range(layers))
        self.head = nn.Linear(64, 128, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        where = torch.arange(tokens.shape[1], device=x.device)
        angle = where[:, None] * torch.arange(16, device=x.device) / 16.0
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(x)


@program("gate")
def llama(device):
    model = Llama().to(device, torch.bfloat16)
    tokens = torch.randint(128, (2, 64), device=device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    return trainer(model, lambda m: F.cross_entropy(
        m(tokens).flatten(0, 1).float(), tokens.flatten()), optimizer)


@program("more")
def llama_inference(device):
    model = Llama().to(device, torch.float16).eval()
    tokens = torch.randint(128, (2, 32), device=device)

    def step():
        with torch.no_grad():
            model(tokens)[:, -1].argmax(-1)
    return step


@program("gate")
def mixture_of_experts(device):
    class Moe(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(32, 4)
            self.experts = nn.ModuleList(
                nn.Sequential(nn.Linear(32, 64), nn.ReLU(),
                              nn.Linear(64, 32)) for _ in range(4))

        def forward(self, x):
            weights, _ = self.gate(x).softmax(-1).topk(2)
            parts = x.chunk(4)
            out = torch.cat([e(p) for e, p in zip(self.experts, parts)])
            return out * weights[:, :1]
    return trainer(Moe().to(device),
                   squares(torch.randn(64, 32, device=device)))


# How a step is run


@program("gate")
def checkpointing(device):
    blocks = nn.ModuleList(Block(by_hand) for _ in range(2)).to(device)
    x = torch.randn(4, 32, 64, device=device, requires_grad=True)

    def loss(model):
        y = x
        for block in model:
            y = checkpoint(block, y, use_reentrant=False)
        return y.square().mean()
    return trainer(blocks, loss)


@program("more")
def checkpointing_convolutions(device):
    parts = nn.ModuleList(
        nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8),
                      nn.ReLU()) for _ in range(3)).to(device)
    x = torch.randn(4, 8, 16, 16, device=device, requires_grad=True)

    def loss(model):
        y = x
        for part in model:
            y = checkpoint(part, y, use_reentrant=True)
        return y.mean()
    return trainer(parts, loss)


@program("gate")
def amp_with_scaler(device):
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128),
                          nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
    x = torch.randn(32, 64, device=device)

    def step():
        optimizer.zero_grad()
        with torch.autocast(device, dtype=torch.float16):
            loss = model(x).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return step


@program("gate")
def cnn_inference(device):
    model = Cnn().to(device).eval()
    x = torch.randn(8, 3, 32, 32, device=device)

    def step():
        with torch.no_grad():
            model(x).softmax(-1)
    return step


@program("gate")
def accumulation(device):
    model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(),
                          nn.Linear(64, 8)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), foreach=True)
    x = torch.randn(16, 32, device=device)

    def step():
        for _ in range(3):
            (model(x).square().mean() / 3).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return step


@program("gate")
def recommender(device):
    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(
                nn.EmbeddingBag(200, 16, mode="sum") for _ in range(3))
            self.bottom = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(16 + 16, 16), nn.ReLU(),
                                     nn.Linear(16, 1))

        def forward(self, dense, bags):
            x = self.bottom(dense)
            rows = [table(b) for table, b in zip(self.tables, bags)]
            all_rows = torch.stack([x, *rows], 1)
            pairs = torch.bmm(all_rows, all_rows.transpose(1, 2)).flatten(1)
            return self.top(torch.cat([x, pairs], 1)).squeeze(-1)
    dense = torch.randn(32, 8, device=device)
    bags = [torch.randint(200, (32, 4), device=device) for _ in range(3)]
    labels = torch.rand(32, device=device)
    return trainer(Dlrm().to(device),
                   lambda m: F.binary_cross_entropy_with_logits(
                       m(dense, bags), labels))


@program("gate")
def embedding_classifier(device):
    model = nn.Sequential(nn.Embedding(500, 32, padding_idx=0), nn.Flatten(),
                          nn.Linear(32 * 8, 20)).to(device)
    words = torch.randint(1, 500, (16, 8), device=device)
    labels = torch.randint(20, (16,), device=device)
    return trainer(model, lambda m: F.cross_entropy(m(words), labels))


@program("more")
def graph_convolution(device):
    model = nn.Linear(16, 16).to(device)
    x = torch.randn(40, 16, device=device)
    edges = torch.randint(40, (2, 120), device=device)

    def loss(m):
        messages = m(x).index_select(0, edges[0])
        zeros = torch.zeros(40, 16, device=device)
        return zeros.index_add(0, edges[1], messages).relu().mean()
    return trainer(model, loss)


@program("more")
def policy_gradient(device):
    model = nn.Sequential(nn.Linear(8, 32), nn.ELU(), nn.Linear(32, 4)).to(
        device)
    optimizer = torch.optim.RMSprop(model.parameters())

    def step():
        log_ps = []
        for _ in range(4):
            seen = torch.randn(1, 8).to(device)
            log_ps.append(F.log_softmax(model(seen), -1).max())
        optimizer.zero_grad()
        (-torch.stack(log_ps).mean()).backward()
        optimizer.step()
    return step


@program("more")
def one_thread_backward(device):
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(),
                          nn.Linear(32, 1)).to(device)
    x = torch.randn(16, 32, device=device)

    def step():
        grads = torch.autograd.grad(model(x).mean(), model.parameters())
        with torch.no_grad():
            for parameter, grad in zip(model.parameters(), grads):
                parameter -= 0.1 * grad
    return step


@program("more")
def diffusion_with_averaged_weights(device):
    model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.SiLU(),
                          nn.Conv2d(16, 3, 3, padding=1)).to(device)
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(4, 3, 16, 16, device=device)

    def step():
        noise = torch.randn_like(x)
        optimizer.zero_grad()
        F.mse_loss(model(x + noise), noise).backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(average, list(model.parameters()), 0.01)
    return step


@program("gate")
def captured_graph(device):
    if device != "cuda":
        return lambda: None
    model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64),
                          nn.Linear(64, 8)).to(device)
    x = torch.randn(16, 32, device=device)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        model(x).square().mean().backward()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    for parameter in model.parameters():
        parameter.grad = None
    with torch.cuda.graph(graph):
        model(x).square().mean().backward()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        graph.replay()
        optimizer.step()
    return step


# With generated kernels


@program("code")
def compiled_mlp(device):
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128),
                          nn.Linear(128, 10)).to(device)
    fast = torch.compile(model)
    x = torch.randn(32, 64, device=device)
    return trainer(model, lambda _: fast(x).square().mean())


@program("code")
def compiled_cnn(device):
    model = Cnn().to(device)
    fast = torch.compile(model)
    x = torch.randn(8, 3, 32, 32, device=device)
    return trainer(model, lambda _: fast(x).square().mean())


@program("code")
def compiled_transformer_inference(device):
    attend = F.scaled_dot_product_attention
    model = nn.Sequential(Block(attend), Block(attend)).to(device).eval()
    fast = torch.compile(model)
    x = torch.randn(4, 32, 64, device=device)

    def step():
        with torch.no_grad():
            fast(x)
    return step
