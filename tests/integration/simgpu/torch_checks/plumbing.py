# SPDX-License-Identifier: Apache-2.0
"""Integer plumbing: as on the CPU, whatever else has run."""

import sys

import torch
from checks import check, random, run_all
from torch.nn import functional

LENGTHS = torch.tensor([5, 3, 9, 1])
TABLE = torch.arange(24).view(4, 6) * 7 % 11
INDICES = torch.tensor([[3, 1, 2], [0, 5, 4]])
LONG = torch.arange(5000) * 7919 % 5003

# What each makes of the tensors above on a device.
OPERATIONS = {
    "scatter_": lambda d: torch.zeros(4, dtype=torch.long, device=d).scatter_(
        0, torch.tensor([2, 0, 3, 1]).to(d), torch.arange(4, device=d)
    ),
    "scatter_scalar": lambda d: torch.zeros(
        2, 6, dtype=torch.long, device=d
    ).scatter_(1, INDICES.to(d), 1),
    "scatter_add_": lambda d: torch.zeros(
        3, dtype=torch.long, device=d
    ).scatter_add_(
        0, torch.tensor([2, 0, 2, 1]).to(d), torch.arange(4, device=d)
    ),
    "scatter_reduce_amax": lambda d: torch.zeros(
        3, dtype=torch.long, device=d
    ).scatter_reduce_(
        0, torch.tensor([2, 0, 2, 1]).to(d), torch.arange(4, device=d), "amax"
    ),
    "gather": lambda d: TABLE.to(d).gather(1, INDICES.to(d)),
    "take_along_dim": lambda d: torch.take_along_dim(
        TABLE.to(d), TABLE.to(d).argsort(1), 1
    ),
    "index_select": lambda d: TABLE.to(d).index_select(
        0, torch.tensor([2, 0]).to(d)
    ),
    "index_add": lambda d: torch.zeros(
        4, 6, dtype=torch.long, device=d
    ).index_add_(0, torch.tensor([1, 1, 3, 0]).to(d), TABLE.to(d)),
    "index_copy": lambda d: torch.zeros(
        4, 6, dtype=torch.long, device=d
    ).index_copy_(0, torch.tensor([1, 2, 3, 0]).to(d), TABLE.to(d)),
    "index_fill": lambda d: TABLE.to(d).index_fill(
        0, torch.tensor([1, 2]).to(d), 9
    ),
    "index_put": lambda d: torch.zeros(
        8, dtype=torch.long, device=d
    ).index_put_((torch.tensor([1, 5]).to(d),), torch.tensor([7, 8]).to(d)),
    "index_put_acc": lambda d: torch.zeros(
        8, dtype=torch.long, device=d
    ).index_put_(
        (torch.tensor([1, 5, 1]).to(d),),
        torch.tensor([7, 8, 9]).to(d),
        accumulate=True,
    ),
    "adv_index": lambda d: TABLE.to(d)[
        torch.arange(3, device=d), INDICES.to(d)[0]
    ],
    "mask_assign": lambda d: (lambda y: (y.__setitem__(y > 4, -1), y)[1])(
        TABLE.to(d).clone()
    ),
    "slice_assign": lambda d: (
        lambda y: (y.__setitem__((slice(None), 2), -1), y)[1]
    )(TABLE.to(d).clone()),
    "sort_small": lambda d: LENGTHS.to(d).sort(descending=True),
    "argsort": lambda d: LENGTHS.to(d).argsort(),
    "sort_big": lambda d: LONG.to(d).sort(),
    "sort_float": lambda d: torch.tensor([3.0, -1, 2, 0.5]).to(d).sort(),
    "topk": lambda d: LENGTHS.to(d).topk(2),
    "topk_rows": lambda d: (TABLE * 1.0 + torch.arange(6) * 0.01)
    .to(d)
    .topk(3, dim=1),
    "topk_big": lambda d: LONG.to(d).topk(7),
    "kthvalue": lambda d: LENGTHS.to(d).kthvalue(2),
    "median": lambda d: LENGTHS.to(d).median(),
    "cumsum": lambda d: LENGTHS.to(d).cumsum(0),
    "cumsum_rows": lambda d: TABLE.to(d).cumsum(1),
    "cumsum_cols": lambda d: TABLE.to(d).cumsum(0),
    "cumsum_mask": lambda d: (TABLE.to(d) > 4).cumsum(1),
    "cumprod": lambda d: (LENGTHS.to(d)).cumprod(0),
    "cummax": lambda d: LENGTHS.to(d).cummax(0),
    "nonzero": lambda d: (TABLE.to(d) > 4).nonzero(),
    "nonzero_static": lambda d: torch.nonzero_static(
        (TABLE > 4).to(d), size=20
    ),
    "nonzero_static_cut": lambda d: torch.nonzero_static(
        (TABLE > 4).to(d), size=3
    ),
    "nonzero_static_long": lambda d: torch.nonzero_static(
        (LONG % 7 == 0).long().to(d), size=900
    ),
    "where1": lambda d: torch.where(TABLE.to(d) > 4),
    "unique": lambda d: TABLE.to(d).unique(),
    "unique_inv": lambda d: TABLE.to(d).unique(
        return_inverse=True, return_counts=True
    ),
    "unique_consec": lambda d: torch.tensor([1, 1, 2, 2, 2, 3])
    .to(d)
    .unique_consecutive(return_counts=True),
    "searchsorted": lambda d: torch.searchsorted(
        torch.tensor([1, 3, 5, 7]).to(d), LENGTHS.to(d)
    ),
    "bucketize": lambda d: torch.bucketize(
        LENGTHS.to(d), torch.tensor([2, 4, 6]).to(d)
    ),
    "one_hot": lambda d: functional.one_hot(INDICES.to(d), 6),
    "one_hot_auto": lambda d: functional.one_hot(INDICES.to(d)),
    "bincount": lambda d: torch.bincount(torch.tensor([1, 1, 3]).to(d)),
    "histc": lambda d: torch.histc(torch.tensor([1.0, 1, 3]).to(d), 4, 0, 4),
    "max_int64": lambda d: LENGTHS.to(d).max(),
    "max_dim": lambda d: TABLE.to(d).max(1),
    "min_dim": lambda d: TABLE.to(d).min(0),
    "amax": lambda d: TABLE.to(d).amax(1),
    "aminmax": lambda d: torch.aminmax(TABLE.to(d)),
    "argmax": lambda d: TABLE.to(d).argmax(1),
    "argmax_flat": lambda d: TABLE.to(d).argmax(),
    "argmin": lambda d: TABLE.to(d).argmin(1),
    "lengths_mask": lambda d: torch.arange(9, device=d)[None]
    < LENGTHS.to(d)[:, None],
    "mask_sum": lambda d: (
        torch.arange(9, device=d)[None] < LENGTHS.to(d)[:, None]
    ).sum(1),
    "any_dim": lambda d: (TABLE.to(d) > 9).any(1),
    "count_nonzero": lambda d: TABLE.to(d).count_nonzero(1),
    "cat": lambda d: torch.cat([TABLE.to(d), TABLE.to(d) + 1], 1),
    "cat3": lambda d: torch.cat(
        [LENGTHS.to(d), LENGTHS.to(d), LENGTHS.to(d)[:1]]
    ),
    "stack": lambda d: torch.stack([LENGTHS.to(d), LENGTHS.to(d) * 2]),
    "roll": lambda d: TABLE.to(d).roll(1, 1),
    "flip": lambda d: TABLE.to(d).flip(1),
    "rot90": lambda d: TABLE.to(d).rot90(),
    "tril": lambda d: torch.ones(4, 4, device=d, dtype=torch.long).tril(),
    "triu_mask": lambda d: torch.triu(
        torch.full((4, 4), float("-inf"), device=d), 1
    ),
    "diag": lambda d: torch.diag(LENGTHS.to(d)),
    "eye": lambda d: torch.eye(4, device=d),
    "repeat_interleave": lambda d: torch.arange(4, device=d).repeat_interleave(
        LENGTHS.to(d)
    ),
    "repeat": lambda d: LENGTHS.to(d).repeat(3),
    "meshgrid": lambda d: torch.meshgrid(
        torch.arange(3, device=d), torch.arange(2, device=d), indexing="ij"
    )[0].contiguous(),
    "isin": lambda d: torch.isin(LENGTHS.to(d), torch.tensor([3, 9]).to(d)),
    "isin_big": lambda d: torch.isin(LENGTHS.to(d), torch.arange(40).to(d)),
    "embedding": lambda d: functional.embedding(
        INDICES.to(d), (torch.arange(24.0).view(6, 4)).to(d)
    ),
    "pad": lambda d: functional.pad(TABLE.to(d), (1, 1), value=3),
    "randperm_sorted": lambda d: torch.randperm(10, device=d).sort()[0],
    "randint_range": lambda d: (
        lambda r: torch.tensor([bool((r >= 5).all()), bool((r < 9).all())])
    )(torch.randint(5, 9, (40,), device=d).cpu()),
    "bitwise": lambda d: (TABLE.to(d) & 3) | (TABLE.to(d) << 1),
    "floor_div": lambda d: TABLE.to(d) // 3,
    "mod": lambda d: TABLE.to(d) % 4,
    "div_trunc": lambda d: torch.div(TABLE.to(d), 3, rounding_mode="trunc"),
    "clamp": lambda d: TABLE.to(d).clamp(2, 5),
    "clamp_between": lambda d: TABLE.to(d).clamp(
        TABLE.to(d) - 2, INDICES.to(d).amax()
    ),
    "pow": lambda d: TABLE.to(d) ** 5,
    "pow_of_two": lambda d: 2 ** LENGTHS.to(d),
    "pow_each": lambda d: LENGTHS.to(d) ** LENGTHS.to(d),
    # Of two types and a shape that is broadcast: cast while they are read.
    "pow_mixed": lambda d: TABLE.to(d, torch.int32).pow(TABLE.to(d)[:1] % 3),
    "pow_base": lambda d: 2 ** (TABLE.to(d, torch.int32) % 5),
    "square_mixed": lambda d: torch.pow(
        TABLE.to(d).T, 2, out=torch.zeros(TABLE.T.shape, device=d)
    ),
    "addcmul_mixed": lambda d: torch.addcmul(
        TABLE.to(d), TABLE.to(d, torch.int32)[:1], TABLE.to(d), value=3
    ),
    "lerp_mixed": lambda d: torch.lerp(
        TABLE.T.to(d).float(), TABLE.T.to(d) + 9.0, 0.25,
        out=torch.zeros(TABLE.T.shape, device=d, dtype=torch.float64)
    ),
    "less_mixed": lambda d: torch.lt(
        TABLE.to(d).T, 3, out=torch.zeros(TABLE.T.shape, device=d)
    ),
    "square": lambda d: TABLE.to(d).square(),
    "cube_int32": lambda d: TABLE.to(d, torch.int32) ** 3,
    "square_float": lambda d: TABLE.to(d).float() ** 2,
    "pow_half": lambda d: TABLE.to(d).half() ** 1.5,
    "fmod": lambda d: (TABLE.to(d) - 5).fmod(3),
    "addcmul": lambda d: torch.addcmul(
        TABLE.to(d), TABLE.to(d), TABLE.to(d), value=3
    ),
    "addcdiv": lambda d: torch.addcdiv(
        TABLE.to(d).float(), TABLE.to(d).float(), TABLE.to(d) + 1.0, value=0.5
    ),
    "lerp": lambda d: torch.lerp(TABLE.to(d).float(), TABLE.to(d) + 9.0, 0.7),
    "take": lambda d: TABLE.to(d).take(torch.tensor([3, -1, 7]).to(d)),
    "take_strided": lambda d: TABLE.to(d).T.take(torch.tensor([3, -1]).to(d)),
    "put": lambda d: TABLE.to(d).put(
        torch.tensor([3, -1]).to(d), torch.tensor([70, 80]).to(d)
    ),
    "put_acc": lambda d: TABLE.to(d).put(
        torch.tensor([3, 3, -1]).to(d),
        torch.tensor([70, 1, 80]).to(d),
        accumulate=True,
    ),
    "masked_scatter": lambda d: TABLE.to(d).masked_scatter(
        TABLE.to(d) > 4, TABLE.to(d) + 100
    ),
    "masked_scatter_big": lambda d: LONG.to(d).masked_scatter(
        LONG.to(d) > 2000, LONG.to(d) + 7
    ),
    "median_rows": lambda d: TABLE.to(d).median(1),
    "index_reduce_nan": lambda d: torch.zeros(2, device=d).index_reduce(
        0, torch.tensor([0, 0, 1]).to(d),
        torch.tensor([float("nan"), 1.0, 2.0]).to(d), "amax"
    ).isnan(),
    "scatter_reduce_nan": lambda d: torch.zeros(2, device=d).scatter_reduce(
        0, torch.tensor([0, 0, 1]).to(d),
        torch.tensor([1.0, float("nan"), 2.0]).to(d), "amin"
    ).isnan(),
    "index_reduce": lambda d: TABLE.to(d).index_reduce(
        0, torch.tensor([2, 0]).to(d), TABLE[:2].to(d) * 2, "amax"
    ),
    "scatter_mean": lambda d: TABLE.to(d).scatter_reduce(
        0, torch.zeros_like(TABLE).to(d), TABLE.to(d), "mean"
    ),
    "linspace": lambda d: torch.linspace(
        -3, 20, 11, dtype=torch.long, device=d
    ),
    "linspace_half": lambda d: torch.linspace(
        -3, 20, 11, dtype=torch.half, device=d
    ),
    "linspace_bfloat16": lambda d: torch.linspace(
        0, 100, 6, dtype=torch.bfloat16, device=d
    ),
    "linspace_float": lambda d: torch.linspace(0, 1, 7, device=d),
    "tril_indices": lambda d: torch.tril_indices(5, 3, -1, device=d),
    "tril_indices_wide": lambda d: torch.tril_indices(3, 6, 2, device=d),
    "triu_indices": lambda d: torch.triu_indices(5, 3, -2, device=d),
    "triu_indices_wide": lambda d: torch.triu_indices(3, 6, 1, device=d),
    "std": lambda d: TABLE.to(d).float().std(),
    "std_rows": lambda d: TABLE.to(d).double().std(1, correction=0),
    "var_mean": lambda d: torch.var_mean(TABLE.to(d).float(), 0),
    "sign": lambda d: (TABLE.to(d) - 5).sign(),
    "where": lambda d: torch.where(TABLE.to(d) > 4, TABLE.to(d), 0),
    "masked_fill": lambda d: TABLE.to(d).masked_fill(TABLE.to(d) > 4, 0),
    "diff": lambda d: LENGTHS.to(d).diff(),
    "sub_cmp": lambda d: (LENGTHS.to(d) - LENGTHS.to(d).max()).abs() < 3,
    "float_mean": lambda d: TABLE.to(d).float().mean(1),
    "softplus": lambda d: functional.softplus(TABLE.to(d).float() - 5),
    "log_softmax": lambda d: TABLE.to(d).float().log_softmax(1),
    "softmax_wide": lambda d: (LONG[:1000].float() / 700)
    .view(1, -1)
    .to(d)
    .softmax(1)
    .view(-1)[:50],
    "softmax_wide_1500": lambda d: (LONG[:1500].float() / 700)
    .view(1, -1)
    .to(d)
    .softmax(1)
    .view(-1)[:50],
    "softmax_half": lambda d: TABLE.to(d)
    .half()
    .softmax(1, dtype=torch.float32),
    "log1p": lambda d: TABLE.to(d).float().log1p(),
    "softmax": lambda d: TABLE.to(d).float().softmax(1),
    "logical": lambda d: (TABLE.to(d) > 3) ^ (TABLE.to(d) < 8),
    "all_dim": lambda d: (TABLE.to(d) >= 0).all(1),
    "tolist_16": lambda d: torch.arange(16, device=d),
    "invperm": lambda d: (
        lambda p: torch.empty_like(p).scatter_(
            0, p, torch.arange(p.numel(), device=p.device)
        )
    )(LENGTHS.to(d).argsort()),
    "block_diag": lambda d: torch.block_diag(
        TABLE.to(d)[:2, :2], TABLE.to(d)[:1]
    ),
    "tensor_split": lambda d: torch.tensor_split(TABLE.to(d), 2, 1)[
        1
    ].contiguous(),
    "unfold": lambda d: LENGTHS.to(d).unfold(0, 2, 1).contiguous(),
    "nan_to_num": lambda d: torch.tensor([1.0, float("nan"), float("inf")])
    .to(d)
    .nan_to_num(0, 9, 9),
    "isnan": lambda d: torch.tensor([1.0, float("nan"), float("inf")])
    .to(d)
    .isnan(),
    "isinf": lambda d: torch.tensor([1.0, float("nan"), float("inf")])
    .to(d)
    .isinf(),
    "equal": lambda d: torch.tensor(torch.equal(TABLE.to(d), TABLE.to(d))),
    "trunc_float": lambda d: (TABLE.to(d).float() / 3).long(),
    "trapz": lambda d: torch.combinations(LENGTHS.to(d), 2),
    "lt_scalar_tensor": lambda d: torch.tensor(5).to(d) > LENGTHS.to(d),
    "minmax_two": lambda d: torch.minimum(
        LENGTHS.to(d), torch.tensor([4]).to(d)
    ),
    "expand_add": lambda d: LENGTHS.to(d)[:, None] * 10
    + torch.arange(3, device=d),
    "to_sparse": lambda d: (TABLE.to(d) > 9).long().to_sparse().indices(),
    "cdist_idx": lambda d: TABLE.to(d)[LENGTHS.to(d).argmax()],
}


def spoil():
    """Kernels that do not compute."""
    x = random(8, 8) @ random(8, 8)
    functional.dropout(functional.layer_norm(torch.softmax(x, 1), (8,)))
    functional.conv2d(random(1, 3, 8, 8), random(4, 3, 3, 3))


def results(operation, device):
    result = operation(device)
    results = result if isinstance(result, (tuple, list)) else [result]
    if device == "cuda":
        spoil()
    return [tensor.cpu() for tensor in results]


@check
def each_is_as_on_the_cpu():
    wrong = []
    for name, operation in OPERATIONS.items():
        expected = results(operation, "cpu")
        spoil()
        got = results(operation, "cuda")
        if not all(
            a.shape == b.shape
            and torch.allclose(a.double(), b.double(), equal_nan=True)
            for a, b in zip(expected, got, strict=True)
        ):
            wrong.append((name, got, expected))
    assert not wrong, wrong


if __name__ == "__main__":
    sys.exit(run_all())
