# SPDX-License-Identifier: Apache-2.0
"""Copies, streams, events and CUDA graphs."""

import sys
import threading

import torch
from checks import check, random, run_all
from torch import nn


@check
def copies_move_data():
    x = torch.arange(1000.0)
    assert torch.equal(x.cuda().cpu(), x)
    assert torch.equal(x.pin_memory().cuda(non_blocking=True).cpu(), x)
    assert torch.equal(x.cuda().clone().cpu(), x)


@check
def events_measure_modelled_time():
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    x = random(4096, 4096)
    begin.record()
    for _ in range(10):
        x @ x
    end.record()
    end.synchronize()
    # 10 products of 137 GFLOP: the peak of an H100's FP32 units is 67 TFLOP/s.
    assert 10 * 137.4 / 67 < begin.elapsed_time(end) < 200


@check
def streams_and_waits():
    stream = torch.cuda.Stream()
    x = random(64, 64)
    with torch.cuda.stream(stream):
        x @ x
    torch.cuda.current_stream().wait_stream(stream)
    stream.synchronize()
    assert stream.query()


@check
def threads_on_their_own_streams():
    failures = []

    def work():
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                layer = nn.Linear(32, 32).cuda()
                for _ in range(20):
                    layer(random(4, 32)).sum().backward()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def warm_up(step):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)


@check
def graph_of_a_network():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(),
                          nn.Linear(8 * 30 * 30, 10)).cuda()
    x = random(2, 3, 32, 32)
    warm_up(lambda: model(x))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    for _ in range(3):
        graph.replay()
    assert y.shape == (2, 10)


@check
def graph_of_a_training_step():
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), capturable=True)
    x = random(8, 64)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).sum().backward()
        optimizer.step()

    warm_up(step)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(3):
        graph.replay()


@check
def graphed_callables():
    layer = torch.cuda.make_graphed_callables(nn.Linear(8, 8).cuda(),
                                              (random(4, 8),))
    layer(random(4, 8)).sum().backward()


if __name__ == "__main__":
    sys.exit(run_all())
