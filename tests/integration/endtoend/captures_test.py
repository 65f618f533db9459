# SPDX-License-Identifier: Apache-2.0
"""A graph to which several threads contribute: what is captured is not missed.

Of each program: captured launches are marked, none counts as a launch without
its kernel, and the kernels of replays belong to the calls that captured them.
"""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAMS = chain.BUILD / "tests/integration/endtoend/programs"
CALL = re.compile(r"^call \S+ thread=(\d+) (\w+)(.*)$", re.M)
# Another tool has the only place for a subscriber: no node is watched.
NO_SUBSCRIBER = {"DLTAP_SIM_FAULTS": "cuptiSubscribe:*:39"}

WHOLE_STEP = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(),
                            torch.nn.Linear(512, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(64, 256, device="cuda")
def step():
    optimizer.zero_grad(set_to_none=True)
    model(x).sum().backward()
    optimizer.step()
with torch.cuda.stream(torch.cuda.Stream()):
    for _ in range(3):
        step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(7):
    graph.replay()
torch.cuda.synchronize()
"""


def traced(command, **variables):
    """Dump and trust of a trace that holds the calls of all threads."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run_tapped(command, trace, **variables)
            dump = chain.dltap("dump", trace).stdout
            trust = chain.report(trace)["trust"]
        if "\nloss ring_unavailable 0" in dump:
            break
    return dump, trust


def captured(dump: str) -> list[int]:
    """Launches marked as captured, by thread, the fewest first."""
    of_thread = collections.Counter(
        thread for thread, symbol, rest in CALL.findall(dump)
        if "LaunchKernel" in symbol and " capturing" in rest)
    return sorted(of_thread.values())


class CapturesTest(unittest.TestCase):

    def test_other_threads_work_is_captured_by_stream(self):
        for mode in ("0", "1", "2"):
            with self.subTest(mode):
                dump, trust = traced([PROGRAMS / "captures", mode])
                self.assertEqual(captured(dump), [3, 5])
                self.assertEqual(trust["launches_without_kernel"], 0)
                self.assertEqual(trust["kernels_without_launch"], 0)

    def test_a_stream_that_joins_by_an_event_is_captured(self):
        dump, trust = traced([PROGRAMS / "captures", "2", "fork"])
        self.assertEqual(captured(dump), [3, 5 + 4])
        self.assertEqual(trust["launches_without_kernel"], 0)

    def test_streams_are_followed_while_another_tool_subscribes(self):
        dump, trust = traced([PROGRAMS / "captures", "0"], **NO_SUBSCRIBER)
        self.assertEqual(captured(dump), [3, 5])
        self.assertEqual(trust["launches_without_kernel"], 0)
        self.assertRegex(dump, r"(?m)^loss graph_node_unknown [1-9]")

    @chain.needs_torch
    def test_whole_training_step_in_one_graph(self):
        dump, trust = traced([sys.executable, "-c", WHOLE_STEP])
        self.assertEqual(len(captured(dump)), 2)  # autograd has its own
        self.assertEqual(trust["launches_without_kernel"], 0)
        self.assertEqual(trust["kernels_without_launch"], 0)


if __name__ == "__main__":
    unittest.main()
