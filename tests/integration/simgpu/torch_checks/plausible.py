# SPDX-License-Identifier: Apache-2.0
"""DLTAP_SIM_VALUES=plausible: what nobody computed is small and random, and
programs decide by it; what is computed is what it is."""

import math
import sys

import torch
from checks import check, random, run_all
from torch import distributions, nn
from torch.nn import functional

CUDA = {"device": "cuda"}


def network(inputs=8, outputs=4):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(),
                         nn.Linear(32, outputs)).cuda()


@check
def policies_act():
    policy = network()
    optimizer = torch.optim.Adam(policy.parameters())
    taken = set()
    for _ in range(30):
        action = distributions.Categorical(logits=policy(random(1, 8)))
        chosen = action.sample()
        taken.add(chosen.item())
        optimizer.zero_grad()
        (-action.log_prob(chosen)).mean().backward()
        optimizer.step()
    assert taken == {0, 1, 2, 3}, taken


@check
def numbers_are_those_of_their_type():
    losses = [functional.cross_entropy(network()(random(4, 8)),
                                       torch.tensor([1, 2, 3, 0]).cuda())
              for _ in range(8)]
    numbers = [loss.item() for loss in losses]
    assert all(0 < x < 10 for x in numbers) and len(set(numbers)) == 8
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        few = [(random(8, 8).to(dtype) @ random(8).to(dtype))[0].item()
               for _ in range(8)]
        assert all(0 < x < 1 for x in few) and len(set(few)) > 4, few
    for name in ("std", "var"):
        assert 0 < getattr(random(100), name)().item() < 1, name
    shown = torch.rand(1000, **CUDA).cpu()
    assert 0 < shown.min() and shown.max() < 1 and shown.unique().numel() > 900
    assert random(300, 300).cpu().min() > 0


@check
def probabilities_are_some():
    for rows, columns in ((4, 8), (300, 500), (3000, 500)):
        odds = functional.softmax(random(rows, columns), -1)
        assert 0 <= odds.min().item() and odds.max().item() <= 1
        if rows * columns < 1 << 18:
            sums = odds.sum(-1).cpu()
            assert (sums - 1).abs().max() < 1e-3
        odds = torch.sigmoid(network(8, columns)(random(rows, 8)))
        assert 0 <= odds.min().item() and odds.max().item() <= 1
    assert torch.isfinite(1 / random(5000)).all()
    assert math.isfinite(functional.softmax(random(64, 64), -1).log().sum())


@check
def indices_are_in_range():
    model = network(8, 100)
    for batch in (4, 4000):  # 400,000 elements are not computed
        odds = functional.softmax(model(random(batch, 8)), -1)
        for chosen in (odds.topk(5)[1], odds.argsort(descending=True),
                       odds.argmax(-1), torch.multinomial(odds[:64], 3)):
            assert 0 <= chosen.cpu().min() and chosen.cpu().max() < 100
    assert model(random(64, 8)).argmax(-1).unique().numel() > 1
    assert 0 < int((random(3000) > 0.5).sum()) < 3000
    factor = torch.linalg.cholesky(torch.diag_embed(random(4, 8).exp()))
    assert factor.shape == (4, 8, 8)  # its error codes are zeroes


@check
def what_is_computed_is_not_replaced():
    known = torch.arange(1, 21).cuda()
    weights = torch.tensor([0.25, -2, 1e9], **CUDA)
    network()(random(64, 8)).sum().backward()
    assert int(known.sum()) == 210 and known[3].item() == 4
    assert weights.tolist() == [0.25, -2, 1e9]
    lengths = torch.tensor([3, 7, 2, 5], **CUDA)
    assert lengths.argsort(descending=True).tolist() == [1, 3, 0, 2]


@check
def checks_pass_and_loops_end():
    assert torch.isfinite(random(4000)).all()
    assert not torch.isnan(random(40, 40) @ random(40, 40)).any()
    distributions.Normal(random(16, 4), random(16, 4).exp() + 1e-3).sample()
    distributions.Bernoulli(torch.sigmoid(random(16, 4))).sample()
    waiting = torch.ones(4, dtype=torch.bool, **CUDA)
    rounds = 0
    while waiting.any():
        waiting &= torch.isfinite(network(8, 100)(random(4, 8)).sum(-1))
        rounds += 1
        assert rounds < 2000


if __name__ == "__main__":
    sys.exit(run_all())
