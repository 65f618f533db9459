# SPDX-License-Identifier: Apache-2.0
"""torch.profiler on the simulated CUPTI: every kernel joined to its operator."""

import collections
import json
import re
import sys
import tempfile

import torch
from checks import check, clear_of_edges, random, run_all
from torch import nn
from torch.profiler import ProfilerActivity, profile


def events_of(step):
    step()  # what is created at the first call stays out of the trace
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU,
                             ProfilerActivity.CUDA]) as profiler:
        with clear_of_edges():
            step()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        with open(file.name) as trace:
            events = json.load(trace)["traceEvents"]
    by_category = collections.defaultdict(list)
    for event in events:
        by_category[event.get("cat")].append(event)
    return by_category


def assert_joined(events):
    runtime = {e["args"]["correlation"] for e in events["cuda_runtime"]
               + events["cuda_driver"]}
    for kernel in events["kernel"]:
        assert kernel["args"].get("External id"), kernel
        assert kernel["args"]["correlation"] in runtime, kernel
        assert 0 < kernel["dur"] < 1e6, kernel
        assert 0 <= kernel["args"]["est. achieved occupancy %"] <= 100, kernel


def names(events):
    return " ".join(e["name"] for e in events["kernel"])


@check
def cnn_step():
    model = nn.Sequential(nn.Conv2d(64, 64, 3), nn.BatchNorm2d(64), nn.ReLU(),
                          nn.Flatten(), nn.Linear(64 * 30 * 30, 10)).cuda()
    x = torch.randn(4, 64, 32, 32)
    events = events_of(lambda: model(x.cuda()).sum().backward())
    assert_joined(events)
    assert len(events["kernel"]) >= 12
    assert any("wgrad" in e["name"] or "Wgrad" in e["name"]
               for e in events["kernel"]), names(events)
    assert "bn_fw_tr" in names(events) and "bn_bw" in names(events)
    assert events["gpu_memcpy"]


@check
def lstm_step_is_a_chain():
    steps, layers = 20, 2
    model = nn.LSTM(64, 64, layers).cuda()
    x = random(steps, 8, 64)
    events = events_of(lambda: model(x)[0].sum().backward())
    assert_joined(events)
    cells = [e for e in events["kernel"] if "LSTM_elementWise_fp" in e["name"]]
    assert len(cells) == steps * layers


@check
def attention_step():
    q = random(2, 4, 128, 64, dtype=torch.bfloat16, requires_grad=True)
    with torch.nn.attention.sdpa_kernel(
            torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        events = events_of(
            lambda: nn.functional.scaled_dot_product_attention(
                q, q, q).sum().backward())
    assert_joined(events)
    for kernel in ("flash_fprop", "flash_bprop"):
        assert re.search(rf"sdpa_sm\d+_{kernel}", names(events)), names(events)


@check
def graph_replay():
    layer = nn.Linear(64, 64).cuda()
    x = random(8, 64)
    graphed = torch.cuda.make_graphed_callables(layer, (x,))
    events = events_of(lambda: graphed(x))
    launches = {e["args"]["correlation"] for e in events["cuda_runtime"]
                if e["name"] == "cudaGraphLaunch"}
    replayed = [e for e in events["kernel"]
                if e["args"]["correlation"] in launches]
    assert replayed


if __name__ == "__main__":
    sys.exit(run_all())
