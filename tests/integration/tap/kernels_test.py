# SPDX-License-Identifier: Apache-2.0
"""Do kernels of an unmodified PyTorch reach the trace, joined to their calls?

Usage: kernels_test.py DLTAP LIBDLTAP SIMGPU_DIR   (with the Python that has torch)

Runs small programs on the simulated GPU under the tap and reads what `dltap
dump` says. Exit code 77: there is no torch.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

DLTAP, TAP, SIMGPU = sys.argv[1:4]

MODEL = """
import torch
m = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(),
                        torch.nn.Linear(512, 10)).cuda()
def run(n):
    for _ in range(n):
        m(torch.randn(64, 256, device='cuda')).sum().backward()
    torch.cuda.synchronize()
"""

PROFILED = MODEL + """
import time
from torch.profiler import profile, ProfilerActivity
run(5)
for _ in range(2):
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        run(5)
    print(sum(str(e.device_type).endswith('CUDA') for e in p.events()))
    time.sleep(1)  # dltap takes CUPTI back, soon but not at once
    run(5)
"""

CAPTURED = MODEL + """
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    run(3)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    m(torch.zeros(64, 256, device='cuda')).sum().backward()
for _ in range(7):
    g.replay()
torch.cuda.synchronize()
"""

SHAPES = """
import torch
torch.nn.LSTM(32, 64, 2).cuda()(torch.randn(7, 5, 32, device='cuda'))
torch.nn.Conv2d(8, 16, 3, groups=2).cuda()(
    torch.randn(4, 8, 10, 12, device='cuda'))
torch.nn.Linear(40, 24).cuda()(torch.randn(16, 40, device='cuda'))
q, k = (torch.randn(2, 4, n, 64, device='cuda', dtype=torch.bfloat16)
        for n in (128, 256))
with torch.nn.attention.sdpa_kernel(
        torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
    torch.nn.functional.scaled_dot_product_attention(q, k, k)
torch.cuda.synchronize()
"""


def run(program, output=None):
    """What `program` prints; under the tap when there is an output folder."""
    environment = dict(os.environ, DLTAP_SIM_GPU="h100-sxm",
                       LD_LIBRARY_PATH=SIMGPU)
    if output:
        environment.update(LD_PRELOAD=TAP, DLTAP_OUTPUT=output)
    return subprocess.run([sys.executable, "-W", "ignore", "-c", program],
                          env=environment, check=True, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def trace_of(program):
    """The lines of the dumped trace, and what the program printed."""
    with tempfile.TemporaryDirectory() as folder:
        printed = run(program, folder + "/trace")
        dump = subprocess.run([DLTAP, "dump", folder + "/trace"], check=True,
                              text=True, stdout=subprocess.PIPE).stdout
    return dump.splitlines(), printed


def of_kind(lines, kind):
    return [line for line in lines if line.startswith(kind + " ")]


def field(line, name):
    found = re.search(rf" {name}=(\S+)", line)
    return found.group(1) if found else None


class KernelsTest(unittest.TestCase):

    def test_every_kernel_has_its_launch(self):
        lines, _ = trace_of(MODEL + "run(20)")
        launches = {field(line, "corr") for line in of_kind(lines, "launchapi")}
        kernels = of_kind(lines, "kernel")
        self.assertGreaterEqual(len(kernels), 20 * 6)
        self.assertEqual([line for line in kernels
                          if field(line, "corr") not in launches], [])
        matmuls = {field(line, "t").split("..")[0] + "ns"
                   for line in of_kind(lines, "call")
                   if " cublas" in line and "SetWorkspace" not in line}
        self.assertEqual(len(matmuls), 100)
        inside = {field(line, "ext") for line in of_kind(lines, "launchapi")}
        self.assertEqual(matmuls - inside, set())

    def test_torch_profiler_sees_what_it_sees_without_us(self):
        bare = run(PROFILED)
        lines, tapped = trace_of(PROFILED)
        self.assertEqual(tapped, bare)
        yielded = [line for line in of_kind(lines, "not_observed")
                   if field(line, "cause") == "yielded"]
        self.assertEqual(len(yielded), 2)
        # Taken back after each: the runs before, between and after are there.
        whole = trace_of(MODEL + "run(5)\nrun(5)\nrun(5)")[0]
        self.assertEqual(len(of_kind(lines, "kernel")),
                         len(of_kind(whole, "kernel")))

    def test_replayed_kernels_have_nodes_with_a_call(self):
        lines, _ = trace_of(CAPTURED)
        nodes = {line.split()[1]: line for line in of_kind(lines, "graphnode")}
        replayed = [line for line in of_kind(lines, "kernel")
                    if field(line, "graph_node")]
        self.assertEqual(len(replayed) % 7, 0)
        self.assertGreater(len(replayed), 0)
        for line in replayed:
            node = field(line, "graph_node")
            original = field(nodes[node], "original") or node
            self.assertIsNotNone(field(nodes[original], "call"), line)

    def test_shapes_of_opaque_objects(self):
        lines, _ = trace_of(SHAPES)
        operations = "\n".join(of_kind(lines, "operation"))
        for pattern in (
                r"rnn_forward .*batch=5 .*seq=7 .*input=32 .*hidden=64 .*"
                r"layers=2 .*directions=1",
                r"conv_forward .*batch=4 .*groups=2",
                r"gemm .*m=24 .*n=16 .*k=40",
                r"attention_forward .*batch=2 .*heads=4 .*seq_q=128 .*"
                r"seq_kv=256 .*head_dim=64"):
            with self.subTest(pattern):
                self.assertRegex(operations, pattern)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("no torch here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
