# SPDX-License-Identifier: Apache-2.0
"""Runs operators one by one, each after a memset whose length is its number,
and writes what each reads and writes to OUT.

    one_by_one.py OUT [TRACE]

With TRACE, torch.profiler writes it, of more operators: those that only their
shapes tell of.
"""

import ctypes
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

FIRST_MARK = 1 << 20  # no operator sets so many bytes
SIZES = (5, 1000, 4096, 100_003, 3_003_000)
TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
OPERATORS = {
    "add": lambda x, y, m: x + y,
    "sub": lambda x, y, m: x - y,
    "scale": lambda x, y, m: x * 2.5,
    "div": lambda x, y, m: x / y,
    "exp": lambda x, y, m: x.exp(),
    "rsqrt": lambda x, y, m: x.rsqrt(),
    "gelu": lambda x, y, m: F.gelu(x),
    "silu": lambda x, y, m: F.silu(x),
    "relu": lambda x, y, m: F.relu(x),
    "elu": lambda x, y, m: F.elu(x),
    "tanh": lambda x, y, m: x.tanh(),
    "power": lambda x, y, m: x.pow(3),
    "maximum": lambda x, y, m: torch.maximum(x, y),
    "where": lambda x, y, m: torch.where(m, x, y),
    "masked_fill": lambda x, y, m: x.masked_fill(m, 0.0),
    "equal": lambda x, y, m: x == y,
    "above": lambda x, y, m: x > 0,
    "not": lambda x, y, m: m.logical_not(),
    "and": lambda x, y, m: m & m.logical_not(),
    "addcmul": lambda x, y, m: torch.addcmul(x, y, x + y),
    "lerp": lambda x, y, m: x.lerp(y, 0.5),
    "half": lambda x, y, m: x.half(),
    "bfloat16": lambda x, y, m: x.bfloat16(),
    "ones": lambda x, y, m: torch.empty_like(x).fill_(1.0),
    "bool": lambda x, y, m: torch.empty_like(m).fill_(True),
    "transposed": lambda x, y, m: square(x).t() + 1.0,
    "bias": lambda x, y, m: square(x) + square(x)[0],
    "in_place": lambda x, y, m: x.clone().mul_(0.5),
}
# Of which a launch does not tell how much they do.
BY_SHAPES = {
    "sum": lambda x, y, m: x.sum(),
    "sum_columns": lambda x, y, m: square(x).sum(0),
    "mean_rows": lambda x, y, m: square(x).mean(-1, keepdim=True),
    "largest": lambda x, y, m: square(x).amax([0]),
    "length": lambda x, y, m: torch.linalg.vector_norm(square(x), dim=1),
    "running": lambda x, y, m: x.cumsum(0),
    "joined": lambda x, y, m: torch.cat([x, y]),
    "rows": lambda x, y, m: square(x).index_select(0, PLACES.to(x.device)),
    "flipped": lambda x, y, m: x.flip(0),
    "expanded": lambda x, y, m: x[:1].expand(len(x)) / 3,
    "foreach_add": lambda x, y, m: torch._foreach_add_([x, y], [y, x]),
    "foreach_root": lambda x, y, m: torch._foreach_sqrt([x, y]),
    "foreach_mean": lambda x, y, m: torch._foreach_addcdiv_([x], [y], [y]),
}
PLACES = torch.tensor([1, 0])
FILLS = ("fill_", "zero_")


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def stored_bytes(tensor):
    """Of what is broadcast only what there is."""
    return tensor.element_size() * math.prod(
        size for size, stride in zip(tensor.shape, tensor.stride()) if stride)


def square(x):
    side = int(x.numel() ** 0.5)
    return x[:side * side].view(side, side)


class Marker(torch.utils._python_dispatch.TorchDispatchMode):
    """Marks each operator, and notes the tensors that it reads and writes."""

    def __init__(self):
        super().__init__()
        library = next(line.split()[-1]
                       for line in pathlib.Path("/proc/self/maps").open()
                       if "libcudart" in line)
        self.memset = ctypes.CDLL(library).cudaMemsetAsync
        self.room = torch.empty(2 * FIRST_MARK, dtype=torch.uint8,
                                device="cuda")
        self.operators = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.memset(ctypes.c_void_p(self.room.data_ptr()), 0,
                    ctypes.c_size_t(FIRST_MARK + len(self.operators)), None)
        name = str(function)
        reads = [] if name.split(".")[1] in FILLS else list(tensors_in(args))
        result = function(*args, **(kwargs or {}))
        # Operators on lists give back nothing where they write in place.
        writes = list(tensors_in([result if result is not None else args[0]]))
        if name.startswith("aten.index_select"):
            reads[0] = result  # no other rows
        self.operators.append({
            "name": name,
            "bytes": sum(stored_bytes(t) for t in (*reads, *writes))})
        return result


def run(operators):
    torch.empty(1, device="cuda")
    marker = Marker()
    for size in SIZES:
        for dtype in TYPES:
            x = torch.ones(size, device="cuda", dtype=dtype)
            y = torch.ones(size, device="cuda", dtype=dtype)
            mask = torch.ones(size, device="cuda", dtype=torch.bool)
            with marker:
                for operator in operators.values():
                    operator(x, y, mask)
    torch.cuda.synchronize()
    pathlib.Path(sys.argv[1]).write_text(json.dumps(marker.operators))


def main():
    if len(sys.argv) < 3:
        run(OPERATORS)
        return
    with torch.profiler.profile(record_shapes=True) as profiler:
        run(OPERATORS | BY_SHAPES)
    profiler.export_chrome_trace(sys.argv[2])


if __name__ == "__main__":
    main()
