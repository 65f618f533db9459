# SPDX-License-Identifier: Apache-2.0
"""Programs that look at numbers which nobody computed: checks of whole tensors
pass, loops that wait for them end, and indices are in range."""

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
def policies_sample_and_learn():
    policy = network()
    optimizer = torch.optim.Adam(policy.parameters())
    for batch in (16, 1):
        action = distributions.Categorical(logits=policy(random(batch, 8)))
        actions = action.sample()
        assert 0 <= int(actions.max()) < 4 and actions.cpu().max() < 4
        loss = -(action.log_prob(actions) * random(batch)).mean()
        (loss - 0.01 * action.entropy().mean()).backward()
        optimizer.step()
        odds = functional.softmax(policy(random(batch, 8)), -1)
        distributions.Categorical(probs=odds).sample()


@check
def few_uniform_numbers_are_drawn():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        uniform = torch.empty(500, dtype=dtype, **CUDA).uniform_(2, 5)
        assert (uniform >= 2).all().item() and (uniform < 5).all().item()
        assert 3.2 < uniform.float().mean().item() < 3.8
        assert uniform.cpu().unique().numel() > 50
    torch.manual_seed(3)
    first, second = torch.rand(4, **CUDA), torch.rand(4, **CUDA)
    torch.manual_seed(3)
    assert torch.equal(first, torch.rand(4, **CUDA))
    assert not torch.equal(first.cpu(), second.cpu())
    odds = torch.rand(5, **CUDA)
    distributions.Categorical(odds)
    drawn = 1
    while torch.rand(1, **CUDA) > 0.1:  # is accepted some time
        drawn += 1
    assert drawn < 1000


@check
def what_is_known_stays_known_beside_kernels_that_read_it():
    boxes = torch.tensor([[1., 2, 3, 4], [5, 6, 7, 8]], **CUDA)
    (network()(random(500, 8)) > 0).nonzero()  # a count by CUB
    assert boxes[1, 2].item() == 7
    rows = torch.nested.nested_tensor(
        [torch.randn(3, 8), torch.randn(5, 8)], layout=torch.jagged, **CUDA)
    hidden = nn.Linear(8, 8).cuda()(rows)
    hidden.to_padded_tensor(0.0)
    assert [rows.offsets()[i].item() for i in range(3)] == [0, 3, 8]
    assert [len(row) for row in hidden.unbind()] == [3, 5]


@check
def arguments_of_distributions_are_in_order():
    x = network()(random(16, 8))
    odds = torch.sigmoid(x)
    positive = functional.softplus(x) + 1e-3
    for distribution in (
            distributions.Normal(x, positive),
            distributions.Normal(x, x.exp()),
            distributions.Normal(network()(random(2000, 8)), positive[:1]),
            distributions.Bernoulli(odds),
            distributions.Bernoulli(logits=x),
            distributions.Beta(positive, positive),
            distributions.Dirichlet(positive),
            distributions.Gamma(positive, positive),
            distributions.Poisson(positive),
            distributions.StudentT(positive, x, positive),
            distributions.Uniform(x, x + 1),
            distributions.MultivariateNormal(x, torch.diag_embed(positive)),
            distributions.MixtureSameFamily(
                distributions.Categorical(logits=x),
                distributions.Normal(x, positive)),
            distributions.OneHotCategorical(logits=x),
            distributions.Binomial(10, odds),
            distributions.TransformedDistribution(
                distributions.Normal(x, positive),
                [distributions.TanhTransform()])):
        distribution.log_prob(distribution.sample())
    standard = distributions.Normal(torch.zeros(4, **CUDA),
                                    torch.ones(4, **CUDA))
    distributions.kl_divergence(distributions.Normal(x, positive),
                                standard).mean().backward()


@check
def losses_and_gradients_are_finite():
    model = network()
    loss = functional.cross_entropy(model(random(16, 8)),
                                    torch.randint(0, 4, (16,), **CUDA))
    loss.backward()
    assert math.isfinite(loss.item()) and torch.isfinite(loss)
    assert torch.isfinite(1 / loss) and not torch.isnan(loss)
    assert not torch.isnan(model(random(16, 8))).any()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0,
                                    error_if_nonfinite=True)
    assert math.isfinite(norm)
    assert all(p.grad.isfinite().all() for p in model.parameters())
    torch.testing.assert_close(model(random(4, 8)), model(random(4, 8)))


@check
def packed_sequences_of_any_order():
    lstm = nn.LSTM(6, 8, batch_first=True).cuda()
    lengths = torch.tensor([5, 3, 9, 1])
    for lengths_of_batch in (lengths, lengths.cuda().cpu()):
        packed = nn.utils.rnn.pack_padded_sequence(
            random(4, 9, 6), lengths_of_batch, batch_first=True,
            enforce_sorted=False)
        assert packed.sorted_indices.tolist() == [2, 0, 1, 3]
        assert packed.unsorted_indices.tolist() == [1, 2, 0, 3]
        output, seen = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0],
                                                        batch_first=True)
        assert output.shape == (4, 9, 8) and seen.tolist() == lengths.tolist()
        output.sum().backward()


# Kernels that do not compute, of which PyTorch's own tell what they write to.
SPOILERS = {
    "attention": lambda: functional.scaled_dot_product_attention(
        random(2, 2, 8, 32), random(2, 2, 8, 32), random(2, 2, 8, 32),
        attn_mask=torch.ones(2, 1, 8, 8, **CUDA) > 0),
    "flash": lambda: functional.scaled_dot_product_attention(
        *(random(2, 2, 8, 64, dtype=torch.bfloat16, requires_grad=True)
          for _ in range(3)), is_causal=True).sum().backward(),
    "efficient_backward": lambda: functional.scaled_dot_product_attention(
        *(random(2, 2, 8, 32, requires_grad=True) for _ in range(3)),
        attn_mask=torch.zeros(8, 8, **CUDA)).sum().backward(),
    "one_row": lambda: nn.Linear(8, 4).cuda()(random(8)),
    "dot": lambda: random(8) @ random(8),
    "noise": lambda: torch.rand_like(random(4, 6).t()),
    "coin": lambda: torch.bernoulli(torch.rand(4, 6, **CUDA)),
    "prod": lambda: random(4, 6).prod(1),
    "norm": lambda: random(4, 6).norm(p=3),
    "special": lambda: torch.erfinv(random(9)) + torch.lgamma(random(9)),
    "fft": lambda: torch.fft.rfft(random(4, 64)),
    "grid_sample": lambda: functional.grid_sample(
        random(1, 2, 4, 4), random(1, 3, 3, 2), align_corners=False),
    "prelu": lambda: nn.PReLU().cuda()(random(4, 4)).sum().backward(),
}


@check
def other_numbers_stay_known():
    spoilt = []
    for name, spoil in SPOILERS.items():
        known = torch.arange(1, 21).cuda()
        spoil()
        if int(known.sum()) != 210:
            spoilt.append(name)
    assert not spoilt, spoilt


@check
def lengths_on_the_device():
    lengths = torch.tensor([3, 7, 2, 5], **CUDA)
    network()(random(4, 8))
    longest = int(lengths.max())
    mask = torch.arange(longest, **CUDA)[None] < lengths[:, None]
    assert longest == 7 and mask.sum().item() == 17
    assert lengths.argsort(descending=True).tolist() == [1, 3, 0, 2]


@check
def generation_ends_at_the_longest():
    table, head = nn.Embedding(100, 16).cuda(), nn.Linear(16, 100).cuda()
    rnn = nn.GRU(16, 16, batch_first=True).cuda()
    tokens = torch.randint(0, 100, (4, 5), **CUDA)
    unfinished = torch.ones(4, dtype=torch.long, **CUDA)
    end = torch.tensor([2], **CUDA)
    while unfinished.max() != 0:
        state = rnn(table(tokens))[0][:, -1]
        token = head(state).argmax(-1) * unfinished
        tokens = torch.cat([tokens, token[:, None]], -1)
        too_long = torch.full((4,), tokens.shape[1] >= 20, **CUDA)
        unfinished = unfinished & ~(too_long | torch.isin(token, end))
        assert tokens.shape[1] <= 20
    assert tokens.cpu().min() >= 0 and tokens.cpu().max() < 100


@check
def loops_that_wait_end():
    model = network(8, 100)
    done = torch.zeros(4, dtype=torch.bool, **CUDA)
    for _ in range(20):
        done |= model(random(4, 8)).argmax(-1) == 2
        if done.all():
            break
    else:
        raise AssertionError("a batch is never done")
    waiting = torch.ones(4, dtype=torch.bool, **CUDA)
    rounds = 0
    while waiting.any():  # has no end of its own
        waiting &= model(random(4, 8)).argmax(-1) != 2
        rounds += 1
        assert rounds < 2000
    assert rounds > 100, "a loop with an end of its own would not reach it"
    x = random(8, 8)
    assert not (x @ x - x).abs().max() > 1e-3
    closures = []

    def closure():
        closures.append(1)
        loss = model(random(4, 8)).pow(2).mean()
        loss.backward()
        return loss

    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5,
                                  line_search_fn="strong_wolfe")
    optimizer.step(closure)
    assert len(closures) < 20


@check
def what_is_chosen_is_in_range():
    odds = functional.softmax(network(8, 100)(random(64, 8)), -1)
    for chosen in (torch.multinomial(odds, 3), odds.topk(5)[1],
                   odds.argsort(descending=True), odds.argmax(-1)):
        assert 0 <= chosen.cpu().min() and chosen.cpu().max() < 100
    torch.arange(100)[odds.argmax(1).cpu()]
    ordered, places = odds.sort(descending=True)
    beyond = (ordered.cumsum(-1) > 0.9).roll(1, 1)
    kept = odds.masked_fill(beyond.scatter(1, places, beyond), 0)
    assert torch.multinomial(kept, 1).max().item() < 100
    weights, experts = odds[:, :4].topk(2, -1)
    for expert in range(4):
        rows, columns = torch.where(experts == expert)
        torch.zeros(64, 8, **CUDA).index_add_(
            0, rows, random(64, 8)[rows] * weights[rows, columns, None])


@check
def replays_compute():
    x, y = torch.arange(6, **CUDA), random(4, 8)
    model = network()
    model(y)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        chosen = x.flip(0)[model(y).argmax(1)]
    graph.replay()
    assert chosen.tolist() == [5] * 4


if __name__ == "__main__":
    sys.exit(run_all())
