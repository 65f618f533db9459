#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The unmodified torch wheel on the simulated CUDA libraries.

usage: simgpu_torch_test.py SIMGPU_DIR    (with the interpreter that has torch)
Exit code 77: no torch here.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SIMGPU_DIR = pathlib.Path(sys.argv.pop(1)).resolve()


def run(snippet: str, **variables: str) -> str:
    """What the snippet prints, run in a process of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = {
            **os.environ, "LD_LIBRARY_PATH": str(SIMGPU_DIR),
            "DLTAP_SIM_GPU": "h100-sxm", "DLTAP_SIM_CLOCK": "virtual",
            "DLTAP_SIM_QUIET": "1", "PYTORCH_KERNEL_CACHE_PATH": scratch,
            **variables}
        result = subprocess.run(
            [sys.executable, "-c", "import torch\n" + snippet],
            env=environment, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise AssertionError(f"exit {result.returncode}\n{result.stderr}")
    return result.stdout.strip()


class TorchOnSimulatedGpu(unittest.TestCase):

    def test_device_is_the_one_asked_for(self):
        self.assertEqual(
            run("print(torch.cuda.get_device_name(), "
                "torch.cuda.get_device_capability(), "
                "torch.cuda.device_count())",
                DLTAP_SIM_GPU="a100-80-sxm", DLTAP_SIM_GPUS="2"),
            "NVIDIA A100-SXM4-80GB (8, 0) 2")

    def test_without_a_gpu_name_there_is_no_gpu(self):
        self.assertEqual(
            run("print(torch.cuda.is_available())", DLTAP_SIM_GPU=""), "False")

    def test_data_survives_the_round_trip(self):
        self.assertEqual(
            run("x = torch.arange(1000.).cuda()\n"
                "print((x + x).shape, x.clone().cpu().sum().item())"),
            "torch.Size([1000]) 499500.0")

    def test_events_measure_modelled_time(self):
        milliseconds = float(run(
            "x = torch.empty(1 << 28, device='cuda')\n"
            "a, b = (torch.cuda.Event(enable_timing=True) for _ in 'ab')\n"
            "a.record(); x.add_(1); b.record(); torch.cuda.synchronize()\n"
            "print(a.elapsed_time(b))"))
        # 2 GiB through 3.35 TB/s take 0.64 ms. From the launch alone the model
        # cannot know the bytes: a factor of three is all that is asked.
        self.assertGreater(milliseconds, 0.64 / 3)
        self.assertLess(milliseconds, 0.64 * 3)

    def test_out_of_memory_is_torchs_own_error(self):
        self.assertEqual(
            run("try: torch.empty(10**12, device='cuda')\n"
                "except torch.OutOfMemoryError as e: print(str(e)[:23])",
                DLTAP_SIM_MEMORY_GB="8"),
            "CUDA out of memory. Tri")

    def test_allocator_backends(self):
        snippet = ("x = [torch.empty(1 << n, device='cuda') "
                   "for n in range(20, 28)]\ndel x\ntorch.cuda.empty_cache()\n"
                   "print(torch.cuda.memory_allocated())")
        for setting in ("expandable_segments:True", "backend:cudaMallocAsync"):
            with self.subTest(setting):
                self.assertEqual(run(snippet, PYTORCH_CUDA_ALLOC_CONF=setting),
                                 "0")

    def test_captured_graph_replays_and_copies(self):
        self.assertEqual(
            run("s = torch.arange(4.).pin_memory()\n"
                "x = torch.zeros(4, device='cuda')\n"
                "g = torch.cuda.CUDAGraph()\n"
                "with torch.cuda.graph(g): x.copy_(s, non_blocking=True)\n"
                "s.mul_(2)\ng.replay()\ntorch.cuda.synchronize()\n"
                "print(x.cpu().tolist())"),
            "[0.0, 2.0, 4.0, 6.0]")

    def test_two_virtual_runs_launch_the_same(self):
        logs = []
        for _ in range(2):
            with tempfile.NamedTemporaryFile() as log:
                run("m = torch.nn.Sequential(torch.nn.Linear(64, 64), "
                    "torch.nn.GELU(), torch.nn.Linear(64, 8)).cuda()\n"
                    "o = torch.optim.Adam(m.parameters())\n"
                    "for _ in range(3):\n"
                    "  m(torch.randn(16, 64, device='cuda')).sum().backward()\n"
                    "  o.step(); o.zero_grad()",
                    DLTAP_SIM_LAUNCHES=log.name)
                logs.append(pathlib.Path(log.name).read_text())
        self.assertIn("elementwise_kernel", logs[0])
        self.assertEqual(logs[0], logs[1])

    def test_counts_are_written_by_each_process(self):
        with tempfile.TemporaryDirectory() as folder:
            run("torch.ones(3, device='cuda')",
                DLTAP_SIM_COUNTS=f"{folder}/%p.txt")
            counts = [path.read_text() for path in
                      pathlib.Path(folder).iterdir()]
        self.assertEqual(len(counts), 1)
        self.assertIn("cudart __cudaLaunchKernel real 1\n", counts[0])

    def test_preloaded_core_reports_at_underscore_exit(self):
        with tempfile.TemporaryDirectory() as folder:
            run("import os; torch.ones(3, device='cuda'); os._exit(0)",
                DLTAP_SIM_COUNTS=f"{folder}/%p.txt",
                LD_PRELOAD=str(SIMGPU_DIR / "libdltapsim.so"))
            names = list(pathlib.Path(folder).iterdir())
        self.assertEqual(len(names), 1)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("no torch for this interpreter: skipped")
        sys.exit(77)
    unittest.main()
