# SPDX-License-Identifier: Apache-2.0
"""Programs whose work is done by cuFFT, cuSOLVER and cuSPARSE."""

import torch
from torch import nn

from programs import program, trainer


class Spectral(nn.Module):
    """A product in frequency space."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(33, 32, 2) / 32)

    def forward(self, x):
        f = torch.fft.fft(torch.fft.rfft(x, dim=1), dim=2)
        f = f * torch.view_as_complex(self.weight)
        return torch.fft.irfft(torch.fft.ifft(f, dim=2), n=x.shape[1], dim=1)


class Systems(nn.Module):
    """Factorizations, with their gradients; nothing waits for an `info`."""

    def __init__(self):
        super().__init__()
        self.root = nn.Parameter(torch.randn(96, 96) / 10)
        self.tall = nn.Parameter(torch.randn(128, 32))
        self.register_buffer("one", torch.eye(96))

    def forward(self, b):
        matrix = self.root @ self.root.mT + self.one
        lower, _ = torch.linalg.cholesky_ex(matrix)
        solved, _ = torch.linalg.solve_ex(matrix, b)
        q, r = torch.linalg.qr(self.tall)
        return lower.sum() + solved.sum() + q.sum() + r.sum()


class Neighbours(nn.Module):
    """Rows of features added up along the edges of a graph."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(64, 64)
        rows = torch.arange(0, 4 * 512 + 1, 4)
        columns = torch.arange(4 * 512) * 7 % 512
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)
        self.register_buffer("values", torch.full((4 * 512,), 0.25))

    def forward(self, x):
        graph = torch.sparse_csr_tensor(
            self.rows, self.columns, self.values, (512, 512),
            check_invariants=False)
        return torch.sparse.mm(graph, self.mix(x))


@program("gate")
def fourier_layer(device):
    model = Spectral().to(device)
    x = torch.randn(16, 64, 32, device=device)
    return trainer(model, lambda m: m(x).square().mean())


@program("gate")
def linear_systems(device):
    model = Systems().to(device)
    b = torch.randn(96, 8, device=device)
    return trainer(model, lambda m: m(b))


@program("more")
def eigenvalues(device):
    """No gradients: those divide by differences of what is not computed."""
    a = torch.randn(64, 64, device=device)
    batch = torch.randn(8, 24, 24, device=device)

    def step():
        symmetric = a + a.mT
        torch.linalg.eigh(symmetric)
        torch.linalg.svd(a)
        torch.linalg.cholesky_ex(batch @ batch.mT)
        torch.linalg.lu_factor_ex(batch)
    return step


@program("more")
def graph_product(device):
    model = Neighbours().to(device)
    x = torch.randn(512, 64, device=device)
    return trainer(model, lambda m: m(x).square().mean())
