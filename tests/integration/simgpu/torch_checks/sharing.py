# SPDX-License-Identifier: Apache-2.0
"""CUDA tensors that torch.multiprocessing shares between two processes."""

import os
import sys

import torch
import torch.multiprocessing as multiprocessing

# A loss written back as one number, and a tensor over several pages.
NUMBERS = list(range(5000))


def consumer(to_child, to_parent):
    shared, loss, second = to_child.get()
    assert shared.is_cuda and second.device.index == 1, (shared, second)
    assert shared.cpu().tolist() == NUMBERS, shared
    assert second.item() == 42, second
    shared.copy_(torch.tensor(NUMBERS[::-1]))
    loss.copy_(torch.tensor([7]))
    torch.cuda.synchronize()
    to_parent.put("written")
    assert to_child.get() == "done"


def main():
    context = multiprocessing.get_context("spawn")
    to_child, to_parent = context.Queue(), context.Queue()
    child = context.Process(target=consumer, args=(to_child, to_parent))
    child.start()
    shared = torch.tensor(NUMBERS).cuda()
    loss = torch.tensor([1]).cuda()
    to_child.put((shared, loss, torch.tensor([42], device="cuda:1")))
    assert to_parent.get(timeout=60) == "written"
    assert shared.cpu().tolist() == NUMBERS[::-1], shared
    assert loss.item() == 7, loss
    to_child.put("done")
    child.join(60)
    assert child.exitcode == 0, child.exitcode
    print("ok   tensors shared by two processes,",
          os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "cudaMalloc"))
    return 0


if __name__ == "__main__":
    if "PYTORCH_CUDA_ALLOC_CONF" not in os.environ:
        # Once more with memory that is mapped piece by piece.
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
        if os.spawnv(os.P_WAIT, sys.executable, [sys.executable] + sys.argv):
            sys.exit(1)
        del os.environ["PYTORCH_CUDA_ALLOC_CONF"]
    sys.exit(main())
