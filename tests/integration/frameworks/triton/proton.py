# SPDX-License-Identifier: Apache-2.0
"""Triton's profiler, Proton: a reader of CUPTI that nobody here wrote."""

import json
import pathlib
import tempfile

import checks
import torch
import triton
import triton.profiler as proton
from add import add_kernel

SIZE = 1 << 20
ROUNDS = 5


def add(x):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(SIZE, 1024),)](x, x, out, SIZE, BLOCK=1024)
    return out


def profile(name, body):
    """What Proton wrote: {path of names: metrics} of all that has a time."""
    found = {}
    file = pathlib.Path(tempfile.gettempdir(), name)
    proton.start(str(file))
    body()
    torch.cuda.synchronize()
    proton.finalize()

    def visit(frame, path):
        path = (*path, frame["frame"]["name"])
        if frame["metrics"].get("count", 0) > 0:
            found[path[1:]] = frame["metrics"]
        for child in frame["children"]:
            visit(child, path)

    visit(json.loads(file.with_suffix(".hatchet").read_text())[0], ())
    return found


@checks.check
def kernels_by_scope():
    x = torch.ones(SIZE, device="cuda")
    add(x)  # compiled before

    def body():
        for _ in range(ROUNDS):
            with proton.scope("mine"):
                add(x)
            torch.mm(x.view(1024, 1024), x.view(1024, 1024))

    found = profile("scopes", body)
    mine = found[("mine", "add_kernel")]
    assert mine["count"] == ROUNDS and mine["time (ns)"] > 0, found
    gemms = [m for (name, *_), m in found.items() if "gemm" in name]
    assert sum(m["count"] for m in gemms) == ROUNDS, found
    assert all(m["device_type"] == "CUDA" for m in found.values()), found


@checks.check
def kernels_of_a_graph():
    x = torch.ones(SIZE, device="cuda")
    add(x)
    graph = torch.cuda.CUDAGraph()

    def body():
        with torch.cuda.graph(graph):
            add(add(x))
        with proton.scope("replays"):
            for _ in range(ROUNDS):
                graph.replay()

    found = profile("graph", body)
    # Told by CUPTI's callbacks: the launch's scope, then that of the capture.
    replayed = found[("replays", "<captured_at>", "add_kernel")]
    assert replayed["count"] == 2 * ROUNDS, found


checks.run_all()
