#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_step.py: runs configurations of the scoreboard, one a line of input.

A line is a row of steps.csv as a JSON object. Prints one line of JSON for each:
step_ms of device time between two events, the peak of memory in bytes, the
number of the model's parameters; or {"error": ...}. Runs on whatever GPU CUDA
shows, simulated or real.

Imports take several times as long as a simulated step, so they are done once:
each configuration runs in a fork, which no other one has left anything in.

A step is what the published harnesses run. timm's benchmark.py: zero_grad,
forward pass under autocast, loss, backward pass, SGD with momentum (training);
forward pass without gradients under autocast (inference).
"""

import contextlib
import json
import os
import sys

import timm  # noqa: F401 (imported once for all)
import torch
import torchvision  # noqa: F401

import models

WARM_UP_STEPS = 2
STEPS = 2


def autocast(precision):
    types = {"amp_fp16": torch.float16, "amp_bf16": torch.bfloat16}
    if precision in types:
        return torch.autocast("cuda", types[precision])
    return contextlib.nullcontext()


def pure_type(row):
    """What the whole model is cast to. NVIDIA's BERT trains in level O2 of
    apex, which casts the weights, where autocast casts for each product."""
    if row["builder"] == "bert" and row["precision"] == "amp_fp16":
        return torch.float16
    return {"fp16": torch.float16, "bf16": torch.bfloat16}.get(row["precision"])


def optimizer_of(row, model):
    """BERT is fine-tuned with Adam, images are learned with SGD."""
    foreach = not models.is_old(row)
    if row["builder"] == "bert":
        return torch.optim.AdamW(model.parameters(), lr=3e-5, foreach=foreach)
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9,
                           weight_decay=1e-4, nesterov=True, foreach=foreach)


def make_step(row):
    with torch.device("cuda"):
        model, inputs, targets, loss_of = models.BUILDERS[row["builder"]](row)
    pure = pure_type(row)
    if pure is not None:
        model = model.to(pure)
        inputs = tuple(x.to(pure) if x.is_floating_point() else x
                       for x in inputs)
    if row["layout"] == "nhwc":
        model = model.to(memory_format=torch.channels_last)
        inputs = tuple(x.contiguous(memory_format=torch.channels_last)
                       for x in inputs)
    if row["mode"] == "infer":
        model.eval()

        def step():
            with torch.no_grad(), autocast(row["precision"]):
                model(*inputs)
        return model, step
    model.train()
    # PyTorch 1 updated tensor by tensor, and zeroed gradients to add to them.
    old = models.is_old(row)
    optimizer = optimizer_of(row, model) if row["mode"] == "train" else None

    def step():
        model.zero_grad(set_to_none=not old)
        with autocast(row["precision"] if pure is None else "pure"):
            loss = loss_of(model(*inputs), targets)
        loss.backward()
        if optimizer is not None:
            optimizer.step()
    return model, step


def measure(row):
    tf32 = row["precision"] == "tf32" or row["precision"].startswith("amp")
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True
    model, step = make_step(row)
    for _ in range(WARM_UP_STEPS):
        step()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(STEPS):
        step()
    end.record()
    torch.cuda.synchronize()
    return {"step_ms": begin.elapsed_time(end) / STEPS,
            "peak_bytes": torch.cuda.max_memory_reserved(),
            "parameters": sum(p.numel() for p in model.parameters())}


def result_of(row):
    try:
        return measure(row)
    except torch.cuda.OutOfMemoryError as error:
        return {"error": "out of memory", "what": str(error)[:200]}
    except Exception as error:  # pylint: disable=broad-except
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def in_fork(row, results):
    """Writes the row's result; says so if the process died instead."""
    child = os.fork()
    if child == 0:
        os.write(results, (json.dumps(result_of(row)) + "\n").encode())
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status != 0:
        line = {"error": f"ended with status {status}"}
        os.write(results, (json.dumps(line) + "\n").encode())


def main():
    results = os.dup(1)
    os.dup2(2, 1)  # what models print is no result
    for line in sys.stdin:
        in_fork(json.loads(line), results)


if __name__ == "__main__":
    main()
