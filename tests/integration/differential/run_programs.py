# SPDX-License-Identifier: Apache-2.0
"""Runs programs of programs.py, each in a process forked from this one.

With --profile, torch.profiler writes OUT/NAME.json of each; with --flops that
has its FLOPs by operator. OUT/NAME.memory.json has what PyTorch's allocator
held and gave at most, and the bytes of the weights. OUT/pids.json says which
process ran which program. A step that fails ends its program alone;
OUT/failed.json has the message.
"""

import argparse
import functools
import gc
import json
import os
import pathlib

import torch
from torch import nn
from torch.utils import flop_counter

import applications  # noqa: F401, registers its programs
import architectures  # noqa: F401
import corners  # noqa: F401
import layers  # noqa: F401
import neighbours  # noqa: F401
import paused  # noqa: F401
import paused_more  # noqa: F401
import paused_threads  # noqa: F401
import solvers  # noqa: F401
import tutorials  # noqa: F401
import variants  # noqa: F401
from children import in_child
from programs import PROGRAMS

STEPS = 3


def run(name, memory=None):
    torch.manual_seed(0)
    step = PROGRAMS[name]("cuda")
    for _ in range(STEPS):
        step()
    torch.cuda.synchronize()
    if memory:
        weights = [o for o in gc.get_objects() if type(o) is nn.Parameter]
        memory.write_text(json.dumps(
            {"reserved": torch.cuda.max_memory_reserved(),
             "allocated": torch.cuda.max_memory_allocated(),
             "weights": sum(w.nbytes for w in weights if w.is_cuda)}))


def run_profiled(name, memory, path):
    kinds = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA],
                                record_shapes=True,
                                profile_memory=True) as profiler:
        run(name, memory)
    profiler.export_chrome_trace(str(path))


def causal_halves() -> dict:
    """PyTorch counts causal attention whole; a mask leaves half the pairs."""
    def half(count, at):
        def formula(*args, **kwargs):
            causal = (args[at] if len(args) > at
                      else kwargs.get("is_causal", False))
            return count(*args, **kwargs) // (2 if causal else 1)
        formula._get_raw = True  # tensors, as the counters of the registry
        return formula
    mapping = {}
    for packet, count in flop_counter.flop_registry.items():
        schema = packet.default._schema if hasattr(packet, "default") else None
        names = [a.name for a in schema.arguments] if schema else []
        if "is_causal" in names:
            mapping[packet] = half(count, names.index("is_causal"))
    return mapping


def count_flops(name, memory, path):
    """FLOPs by operator, as PyTorch counts them."""
    # Of cuDNN's recurrent operators it knows no formula; of products it does.
    for layer in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
        def without_cudnn(self, *args, forward=layer.forward, **kwargs):
            with torch.backends.cudnn.flags(enabled=False):
                return forward(self, *args, **kwargs)
        layer.forward = without_cudnn
    with flop_counter.FlopCounterMode(
            display=False, custom_mapping=causal_halves()) as counter:
        run(name, memory)
    counts = counter.get_flop_counts().get("Global", {})
    path.write_text(json.dumps({str(op): n for op, n in counts.items()}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--profile", action="store_true")
    kinds.add_argument("--flops", action="store_true")
    options = parser.parse_args()
    pids, failed = {}, {}
    for name in options.names:
        path = options.out / f"{name}.json"
        work = functools.partial(
            run_profiled if options.profile else
            count_flops if options.flops else run, name,
            options.out / f"{name}.memory.json",
            *([path] if options.profile or options.flops else []))
        pids[name], message = in_child(work)
        if message:
            failed[name] = message
    (options.out / "pids.json").write_text(json.dumps(pids))
    (options.out / "failed.json").write_text(json.dumps(failed))


if __name__ == "__main__":
    main()
