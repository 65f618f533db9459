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
    # 10 products of 137 GFLOP: the peak of a B200's FP32 units is 74 TFLOP/s,
    # an L4's 30.
    assert 10 * 137.4 / 75 < begin.elapsed_time(end) < 200


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

    threads = [threading.Thread(target=work) for _ in range(8)]
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
def graph_that_forks_and_joins():
    x, y = random(64, 64), random(64, 64)
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        a = x @ x
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            b = y @ y
        c = x @ y
        torch.cuda.current_stream().wait_stream(side)
        a + b + c
    graph.replay()


@check
def two_devices_in_one_process():
    x = torch.arange(4.0, device="cuda:0")
    y = x.to("cuda:1")
    assert y.device.index == 1 and y.tolist() == x.tolist()
    assert torch.cuda.can_device_access_peer(0, 1)
    layer = nn.Linear(8, 8)
    replicas = nn.parallel.replicate(layer.cuda(0), [0, 1])
    outputs = [replica(torch.ones(2, 8, device=f"cuda:{i}"))
               for i, replica in enumerate(replicas)]
    assert [o.device.index for o in outputs] == [0, 1]
    sum(o.sum().to("cuda:0") for o in outputs).backward()
    assert layer.weight.grad.shape == (8, 8)


@check
def graphed_callables():
    layer = torch.cuda.make_graphed_callables(nn.Linear(8, 8).cuda(),
                                              (random(4, 8),))
    layer(random(4, 8)).sum().backward()


if __name__ == "__main__":
    sys.exit(run_all())
