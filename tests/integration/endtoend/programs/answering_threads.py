#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads that answer requests with models on one GPU.

usage: answering_threads.py same|own|pool|handed|staged BATCHES_OF_THREAD_0 ...

same: all threads use one model, on the default stream; own: each has a model
of another kind, and a stream; pool: batches go to whichever thread is free;
handed: the main thread waits for each batch before it hands out the next;
staged: the main thread answers what a second one has made of each batch.
"""
import queue
import sys
import threading
import time
from concurrent import futures

import torch
from torch import nn


def image_net():
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(),
                         nn.Conv2d(16, 32, 3), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(32, 10)).cuda().eval()


def perceptron():
    return nn.Sequential(nn.Flatten(), nn.Linear(3 * 64 * 64, 256), nn.GELU(),
                         nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 10),
                         nn.Softmax(-1)).cuda().eval()


@torch.no_grad()
def answer(model):
    images = torch.zeros(256, 3, 64, 64)
    return model(images.cuda(non_blocking=True)).argmax(-1).cpu()


def serve(model, stream, batches, pause_s):
    with torch.cuda.stream(stream):
        for _ in range(batches):
            answer(model)
            time.sleep(pause_s)


@torch.no_grad()
def serve_in_stages(batches):
    blur = nn.Conv2d(3, 3, 5, padding=2).cuda()
    model, between = image_net(), queue.Queue(2)

    def prepare():
        with torch.no_grad():
            for _ in range(batches):
                between.put(blur(torch.zeros(64, 3, 64, 64).cuda()))

    thread = threading.Thread(target=prepare)
    thread.start()
    for _ in range(batches):
        model(between.get()).argmax(-1).cpu()
    thread.join()


def main() -> None:
    kind, counts = sys.argv[1], [int(word) for word in sys.argv[2:]]
    if kind == "staged":
        serve_in_stages(counts[0])
        return
    shared = image_net()
    if kind in ("pool", "handed"):
        with futures.ThreadPoolExecutor(len(counts)) as pool:
            if kind == "pool":
                list(pool.map(answer, [shared] * sum(counts)))
            for _ in range(sum(counts) if kind == "handed" else 0):
                pool.submit(answer, shared).result()
        return
    threads = []
    for i, batches in enumerate(counts):
        own = perceptron() if i % 2 else image_net()
        is_own = kind == "own"
        threads.append(threading.Thread(target=serve, args=(
            own if is_own else shared,
            torch.cuda.Stream() if is_own else torch.cuda.default_stream(),
            batches, 0.001 * i)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
