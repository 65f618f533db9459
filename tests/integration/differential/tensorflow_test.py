# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's kernels are those that the operations of its graph ask for.

The models of tensorflow_programs.py train tapped. The graph says how often an
operation of each type runs in a step, and in which pass: each pass must have as
many kernels that multiply as products, none may have more kernels of a type
than operations, and every class needs an operation that it can come from.

    tensorflow_test.py [--python PYTHON] [--only PROGRAM...] [--cuda TOOLKIT]
"""

import collections
import json
import pathlib
import re
import sys

import xla_test
from differential_test import chain

PROGRAMS = pathlib.Path(__file__).with_name("tensorflow_programs.py")
RUNS = 3
PRODUCTS = {"MatMul", "BatchMatMulV2", "Einsum"}
# Of a class, the types that it comes from; each of those asks for it.
SOURCES = {
    "conv": {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"},
    "rnn": {"CudnnRNNV3", "CudnnRNNBackpropV3"},
    "pool": {"MaxPool", "MaxPoolGrad"},
    "norm": {"FusedBatchNormV3", "FusedBatchNormGradV3"},
    "embedding": {"ResourceGather", "GatherV2"},
    "loss": {"SparseSoftmaxCrossEntropyWithLogits"},
    "activation": {"Relu", "ReluGrad", "Tanh", "TanhGrad", "Sigmoid",
                   "SigmoidGrad", "Erf"},
}
MAY_COME_FROM = {
    "softmax": {"Softmax", "SparseSoftmaxCrossEntropyWithLogits"},
    "attention": {"Einsum", "BatchMatMulV2"},
}
# Of the kernels that are called as an operation: what stands in no scope.
MOST_UNTOLD = 0.1
# What divides by a constant multiplies.
TYPES = {"Div": "Mul", "RealDiv": "Mul"}
STEM = re.compile(r"(\w+?)_GPU_DT_FLOAT")
SIDES = ("forward", "backward", "update")


def run(python, cuda, folder, name) -> None:
    chain.run_tapped(
        [python, PROGRAMS, folder, name], folder / f"{name}.trace",
        ("--no-report", "--tf-names"), DLTAP_SIM_MEMORY_GB="4",
        TF_CPP_MIN_LOG_LEVEL="2",
        XLA_FLAGS=f"--xla_gpu_cuda_data_dir={cuda}")


def is_product(kernel) -> bool:
    return (kernel["class"] in ("gemm", "attention") and
            "gemm" in kernel["name"] and "splitK" not in kernel["name"])


def complaints(folder, name) -> tuple[list, collections.Counter]:
    graph = json.loads((folder / f"{name}.json").read_text())
    inner = graph.pop("functions", {})
    types = {op for ops in graph.values() for op in ops} | set(inner)
    kernels = xla_test.kernels_of(folder / f"{name}.trace")
    lines = []
    seen = collections.Counter()
    for kernel in kernels:
        side = kernel["direction"].split("_")[0]
        if is_product(kernel):
            seen["product", side] += 1
        elif stem := STEM.match(kernel["name"]):
            seen[TYPES.get(stem[1], stem[1]), side] += 1
    asked = {side: sum(graph.get(side, {}).get(op, 0) for op in PRODUCTS)
             for side in SIDES}
    products = {side: seen["product", side] / RUNS for side in SIDES}
    if not inner and products != asked:
        lines.append(f"{products} products, the graph has {asked} a step")
    untold = sum(n for (_, side), n in seen.items() if side == "none")
    if untold > MOST_UNTOLD * seen.total():
        lines.append(f"of {untold} of {seen.total()} kernels nothing tells")
    for (kind, side), count in seen.items():
        most = (asked.get(side, 0) if kind == "product" else
                sum(n for op, n in graph.get(side, {}).items()
                    if TYPES.get(op, op) == kind))
        if side != "none" and count > RUNS * most and not inner:
            lines.append(f"{count} {kind} {side}, the graph has {most} a step")
    classes = {kernel["class"] for kernel in kernels}
    for name_of_class, sources in (SOURCES | MAY_COME_FROM).items():
        is_there = name_of_class in classes
        if is_there and not sources & types:
            lines.append(f"{name_of_class}: no operation asks for it")
        if sources & types and not is_there and name_of_class in SOURCES:
            lines.append(f"{name_of_class}: {sources & types}, but no kernel")
    counts = collections.Counter(kernels=len(kernels), untold=untold,
                                 products=seen["product", "forward"])
    return lines, counts


if __name__ == "__main__":
    sys.exit(xla_test.compare(__doc__, "tensorflow", PROGRAMS, run,
                              complaints))
