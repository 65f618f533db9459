# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own table of operators: forward and backward of each on the GPU.

At most four samples of each operator, in single precision. Those that fail are
named in op_db_exceptions.txt beside this file, one, its reason and perhaps the
releases of PyTorch where it fails ("<2.15", ">=2.15") in a line: the list must
name just these.
"""

import itertools
import pathlib
import sys
import types
import unittest
import warnings

SAMPLES = 4
EXCEPTIONS = pathlib.Path(__file__).with_name("op_db_exceptions.txt")


def import_op_db():
    # Only PyTorch's test classes need it; the table does not.
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase
    stand_in.assert_expected_inline = None
    sys.modules.setdefault("expecttest", stand_in)
    from torch.testing._internal import common_methods_invocations
    return common_methods_invocations.op_db


def expected_failures(release):
    """The names of those that fail in this release."""
    names = set()
    for line in EXCEPTIONS.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, _, *condition = line.split("\t")
        limit = condition[0].lstrip("<>=") if condition else "0"
        before = release < tuple(map(int, limit.split(".")))
        if not condition or before == condition[0].startswith("<"):
            names.add(name)
    return names


def run_sample(op, sample):
    import torch
    result = op(sample.input, *sample.args, **sample.kwargs)
    torch.cuda.synchronize()
    if not op.supports_autograd:
        return
    outputs = [leaf for leaf in torch.utils._pytree.tree_leaves(result)
               if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if outputs:
        sum(output.abs().sum() for output in outputs).backward()
        torch.cuda.synchronize()


def failures_of(op, counts):
    """What went wrong, by sample."""
    import torch
    failures = []
    samples = op.sample_inputs("cuda", torch.float32,
                               requires_grad=op.supports_autograd)
    for sample in itertools.islice(samples, SAMPLES):
        counts["samples"] += 1
        try:
            run_sample(op, sample)
        except Exception as error:  # any way to fail is one
            failures.append(f"{type(error).__name__}: {error}")
    counts["failed"] += len(failures)
    return failures


def main():
    import torch
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    expected = expected_failures(
        tuple(map(int, torch.__version__.split(".")[:2])))
    counts = {"samples": 0, "failed": 0}
    problems = []
    for op in import_op_db():
        name = ".".join(filter(None, (op.name, op.variant_test_name)))
        if not op.supports_dtype(torch.float32, "cuda"):
            continue
        print(f"running {name}", file=sys.stderr, flush=True)
        failures = failures_of(op, counts)
        if failures and name not in expected:
            problems.append(f"{name} fails: {failures[0][:200]}")
        elif name in expected and not failures:
            problems.append(f"{name} is in the list and works")
        expected.discard(name)
    problems += [f"{name} is in the list and does not exist"
                 for name in expected]
    for problem in problems:
        print(problem)
    works = 1 - counts["failed"] / counts["samples"]
    print(f"{counts['samples']} samples, {works:.2%} work")
    return 1 if problems or works < 0.98 else 0


if __name__ == "__main__":
    sys.exit(main())
