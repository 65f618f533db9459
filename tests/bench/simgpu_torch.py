#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the simulated GPU costs PyTorch: its start, and a model of 7 billion
parameters.

usage: simgpu_torch.py LIBRARY_DIR [LAYERS]

start: CPU seconds to import torch and to finish a first operation, as a ratio to
importing torch alone without a device.
training: three steps (forward, backward, SGD) of a transformer of LLaMA's
shape, 32 layers unless told, in bfloat16: seconds, and the memory of the
process, in MiB and as a ratio to what the model takes on the GPU.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

WIDTH, HEADS, INNER, WORDS, LENGTH = 4096, 32, 11008, 32000, 2048


def seconds_of(code, **variables):
    """CPU time, the best of three processes."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True,
                       env={**os.environ, **variables})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime
                     - before.ru_stime)
    return min(times)


def start():
    alone = seconds_of("import torch", DLTAP_SIM_GPU="")
    first = seconds_of("import torch\n"
                       "torch.ones(3, device='cuda').sum().item()")
    print(f"start: import {alone:.2f} s, with a first operation {first:.2f} s, "
          f"ratio {first / alone:.2f}")


def make_layer(torch):
    from torch import nn
    from torch.nn import functional

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList(nn.RMSNorm(WIDTH) for _ in range(2))
            self.inputs = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
            self.output = nn.Linear(WIDTH, WIDTH, bias=False)
            self.gate = nn.Linear(WIDTH, INNER, bias=False)
            self.up = nn.Linear(WIDTH, INNER, bias=False)
            self.down = nn.Linear(INNER, WIDTH, bias=False)

        def forward(self, x):
            batch, length, _ = x.shape
            q, k, v = (t.view(batch, length, HEADS, -1).transpose(1, 2)
                       for t in self.inputs(self.norms[0](x)).chunk(3, -1))
            seen = functional.scaled_dot_product_attention(q, k, v,
                                                           is_causal=True)
            x = x + self.output(seen.transpose(1, 2).flatten(2))
            y = self.norms[1](x)
            return x + self.down(functional.silu(self.gate(y)) * self.up(y))

    return Layer()


def train(layers):
    import torch
    from torch import nn
    with torch.device("meta"):
        model = nn.Sequential(nn.Embedding(WORDS, WIDTH),
                              *(make_layer(torch) for _ in range(layers)),
                              nn.RMSNorm(WIDTH),
                              nn.Linear(WIDTH, WORDS, bias=False))
    model = model.to(torch.bfloat16).to_empty(device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    parameters = sum(p.numel() for p in model.parameters())
    words = torch.zeros(1, LENGTH, dtype=torch.long, device="cuda")
    begin = time.monotonic()
    for _ in range(3):
        loss = nn.functional.cross_entropy(model(words).flatten(0, 1),
                                           words.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    seconds = time.monotonic() - begin
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    device = torch.cuda.max_memory_allocated()
    print(f"training: {parameters / 1e9:.2f}e9 parameters, {seconds:.2f} s for "
          f"3 steps, process {process / 2**20:.0f} MiB, GPU "
          f"{device / 2**30:.1f} GiB, ratio {process / device:.4f}")


def main(library_dir, layers="32"):
    if os.environ.get("DLTAP_BENCH_TRAINS"):
        return train(int(layers))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(
            LD_LIBRARY_PATH=os.path.abspath(library_dir), DLTAP_SIM_QUIET="1",
            DLTAP_SIM_GPU="h100-sxm", DLTAP_SIM_CLOCK="skip",
            PYTORCH_KERNEL_CACHE_PATH=scratch)
        start()
        subprocess.run([sys.executable, __file__, library_dir, layers],
                       env={**os.environ, "DLTAP_BENCH_TRAINS": "1"},
                       check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
