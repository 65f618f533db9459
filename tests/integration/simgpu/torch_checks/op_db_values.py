# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own table of operators with integers and truth values: what comes
out on the simulated GPU is what comes out on the CPU.

Inputs are PyTorch's samples, made on the CPU and copied, so that all of them
are known. Operators of which a sample differs are named, with the reason, in
op_db_values_exceptions.txt beside this file: the list must name just these.
"""

import itertools
import pathlib
import sys
import warnings

from op_db import import_op_db

SAMPLES = 12
EXCEPTIONS = pathlib.Path(__file__).with_name("op_db_values_exceptions.txt")
# Their results follow from no input.
UNDEFINED = ("empty", "new_empty", "empty_like", "empty_strided",
             "empty_permuted", "new_empty_strided", "resize_", "resize_as_",
             "bernoulli", "geometric", "randint", "randint_like", "randperm",
             "multinomial",
             # Of equal elements the place of any, or any of the most frequent.
             "argsort", "mode",
             # Samples that are views, which are copied as they look.
             "as_strided")
# Their second result is the place of any of equal elements.
PLACED = ("kthvalue", "median", "nanmedian", "sort", "msort", "topk")


def expected_failures():
    return {line.split("\t")[0] for line in EXCEPTIONS.read_text().splitlines()
            if line and not line.startswith("#")}


def moved(tree, device):
    import torch
    return torch.utils._pytree.tree_map(
        lambda leaf: (leaf.detach().to(device)
                      if isinstance(leaf, torch.Tensor) else leaf), tree)


def run(op, sample, device):
    import torch
    inputs = moved((sample.input, sample.args, dict(sample.kwargs)), device)
    if op.name == "tensor_split":  # takes indices of the host
        inputs = inputs[0], sample.args, inputs[2]
    if "device" in inputs[2]:
        inputs[2]["device"] = device
    result = op(inputs[0], *inputs[1], **inputs[2])
    leaves = [leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf
              for leaf in torch.utils._pytree.tree_leaves(result)]
    return leaves[:1] if op.name in PLACED else leaves


def same(expected, got):
    import torch
    if not isinstance(expected, torch.Tensor):
        return expected == got
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return False
    if expected.is_sparse or expected.layout != torch.strided:
        expected, got = expected.to_dense(), got.to_dense()
    if expected.dtype.is_floating_point or expected.dtype.is_complex:
        return True  # what integers are made into is another matter
    return torch.equal(expected, got)


def first_difference(op, dtype):
    """A text; None: there is none."""
    for number, sample in enumerate(
            itertools.islice(op.sample_inputs("cpu", dtype), SAMPLES)):
        try:
            expected = run(op, sample, "cpu")
        except Exception:  # not for this type, or not on the CPU
            continue
        try:
            got = run(op, sample, "cuda")
        except Exception as error:  # any way to fail is one
            return f"sample {number}: {type(error).__name__}: {error}"[:160]
        if len(expected) != len(got) or not all(map(same, expected, got)):
            return f"sample {number}: {got} is not {expected}"[:300]
    return None


def main():
    import torch
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    expected = expected_failures()
    problems, right = [], 0
    for op in import_op_db():
        name = ".".join(filter(None, (op.name, op.variant_test_name)))
        if op.name in UNDEFINED:
            continue
        differences = {
            dtype: difference
            for dtype in (torch.int64, torch.int32, torch.uint8, torch.bool)
            if op.supports_dtype(dtype, "cuda")
            and op.supports_dtype(dtype, "cpu")
            and (difference := first_difference(op, dtype))}
        if differences and name not in expected:
            problems.append(f"{name}: {differences}")
        elif name in expected and not differences:
            problems.append(f"{name} is in the list and right")
        right += not differences
        expected.discard(name)
    problems += [f"{name} is in the list and does not exist"
                 for name in expected]
    print("\n".join(problems))
    print(f"{right} operators right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
