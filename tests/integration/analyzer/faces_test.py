#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Text, CSV and JSON of one trace say the same, whatever the trace.

usage: faces_test.py DLTAP SCHEMA GOLDEN [TRACES]

Traces written here and the golden ones always; real ones (TRACES) if there.
"""
import glob
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report_faces  # noqa: E402
import report_schema  # noqa: E402

DLTAP, SCHEMA, GOLDEN = sys.argv[1:4]
TRACES = sys.argv[4] if len(sys.argv) > 4 else ""

H100 = 'name="NVIDIA H100 80GB HBM3" cc=9.0 sms=132'


class Process:
    """Writes one process, an event after the other."""

    def __init__(self, pid: int, **keys):
        words = "".join(f' {key}="{value}"' if isinstance(value, str) else
                        f" {key}={value}" for key, value in keys.items())
        self.lines = [f"process pid={pid}{words}"]
        self.correlation = 0

    def add(self, line: str) -> "Process":
        self.lines.append(line)
        return self

    def device(self, number=0, what=H100) -> "Process":
        return self.add(f"device {number} {what}")

    def work(self, call, begin, length, kernel, *, late=3, device=0,
             thread=0) -> int:
        """A call at `begin` and the kernel it starts, `late` us after it
        returned; the time of the kernel's end."""
        self.correlation += 1
        corr = self.correlation
        start = begin + 2 + late
        self.add(f"call t={begin}..{begin + 2}us thread={thread} {call}")
        self.add(f"launchapi t={begin}..{begin + 1}us thread={thread} "
                 f"corr={corr} ext={begin}us")
        self.add(f"kernel t={start}..{start + length}us device={device} "
                 f"stream={7 + device} corr={corr} name={kernel}")
        return start + length


GEMM = "cublasSgemm_v2 m=512 n=512 k=512"
PLAIN = "cudaLaunchKernel"


def train(process: Process, steps: int, *, pause=40, marked=True, device=0,
          size=60, begin=0) -> Process:
    """Steps of forward, backward and update, and a pause of the host."""
    process.add(f"thread {2 * device} tid=1 name=python")
    process.add(f"thread {2 * device + 1} tid=2 name=pt_autograd_0")
    at = begin
    for step in range(steps):
        first = at
        for call, length, kernel, thread in (
                (GEMM, size, "ampere_sgemm_128x64_nn", 0),
                (PLAIN, 11, "gelu", 0), (PLAIN, 7, "softmax_warp_forward", 0),
                (GEMM, 2 * size, "ampere_sgemm_128x64_nt", 1),
                (PLAIN, 13, "multi_tensor_apply_kernel", 0)):
            at = process.work(call, at, length, kernel, device=device,
                              thread=2 * device + thread)
        at += pause
        if marked:
            process.add(f"range t={first}..{at}us thread={2 * device} "
                        f'kind=nvtx name="step {step}"')
    return process


def text_of(*processes: Process) -> str:
    return "format dltap\n" + "\n".join(
        line for process in processes for line in process.lines) + "\n"


def small_classes() -> str:
    process = Process(1, program="a.out").device()
    at = process.work(GEMM, 0, 9000, "ampere_sgemm_128x64_nn")
    for kernel in ("softmax_warp_forward", "gelu", "my_secret_thing",
                   "ncclDevKernel_AllReduce_Sum_f32_RING_LL"):
        at = process.work(PLAIN, at, 3, kernel)
    return text_of(process)


def small_kernels() -> str:
    """The host is far ahead, the GPU never idle, its kernels take 4 us."""
    process = Process(1).device()
    for i in range(40):
        process.work("cublasSgemm_v2 m=64 n=64 k=64", 3 * i, 4, "lstm_gemm",
                     late=200 + i)
    return text_of(process)


def exposed_communication() -> str:
    process = Process(4, rank=3, world_size=8).device()
    process.add("kernel t=0..50us device=0 stream=7 name=ampere_sgemm_64x64_nn")
    process.add("kernel t=20..90us device=0 stream=9 "
                "name=ncclDevKernel_AllReduce_Sum_f32_RING_LL")
    return text_of(process)


def attention() -> str:
    process = Process(1).device()
    batched = ("cublasSgemmStridedBatched m=128 n=128 k=64 batchCount=12",)
    at = 0
    for _ in range(3):
        at = process.work(*batched, at, 20, "ampere_sgemm_32x32_tn", late=0)
        at = process.work(PLAIN, at, 5, "softmax_warp_forward", late=0)
        at = process.work(*batched, at, 20, "ampere_sgemm_32x32_nn", late=0)
    return text_of(process)


def own_cost_and_losses(cost_us=4) -> str:
    process = train(Process(9, program="python", framework="torch 2.11.0"), 6)
    process.device().add(f"overhead per_call={cost_us}us collector_cpu=1ms")
    process.add("not_observed t=300..350us device=0 cause=dropped")
    process.add("not_observed t=600..700us device=0 cause=yielded")
    for at in range(0, 1600, 100):
        process.add(f"sample t={at}us thread=0 on_cpu={at // 100 % 2} cpu=0")
    process.add("loss ring_full 12").add("loss cupti_dropped 1234567")
    return text_of(process.add('level kernels reason="CUPTI 13 was busy 2 x"'))


def memory() -> str:
    """Growing by 3 MiB a step, with a request that is refused."""
    process = train(Process(7).device(0, H100 + " memory=85899345920"), 14)
    for step in range(14):
        process.add(f"call t={step * 270 + 1}..{step * 270 + 2}us thread=0 "
                    f"cudaMalloc devPtr={(step + 1) << 32} size=3145728")
    process.add("call t=900..905us thread=0 cudaMalloc failed devPtr=0 "
                "size=123456789012")
    process.add("call t=910..911us thread=0 cudaHostAlloc pHost=0x7000000 "
                "size=4096")
    return text_of(process)


WRITTEN = {
    "memory": memory(),
    "no_events": "format dltap\n",
    "no_gpu_work": text_of(Process(1).add("call t=0..5us thread=0 " + PLAIN)),
    "wall_of_zero": text_of(Process(1).device().add(
        "kernel t=5..5us device=0 stream=7 name=gemm")),
    "no_steps": text_of(train(Process(1).device(), 1, marked=False)),
    "imported": text_of(train(Process(1).device(), 4)).replace(
        "format dltap", "format kineto"),
    "imported_with_samples": own_cost_and_losses().replace(
        "format dltap", "format kineto"),
    "marked_steps": text_of(train(Process(1, program="x").device(), 5)),
    "period": text_of(train(Process(1).device(), 20, marked=False)),
    "host_bound": text_of(train(Process(1).device(), 5, pause=2000, size=3)),
    "small_kernels": small_kernels(),
    "own_cost_and_losses": own_cost_and_losses(),
    "own_cost_is_most": own_cost_and_losses(90),
    "small_classes": small_classes(),
    "exposed_communication": exposed_communication(),
    "attention": attention(),
    "unknown_gpu": text_of(train(Process(1).device(0, "name=\"GPU 7\""), 4)),
    "two_gpus": text_of(train(train(Process(1).device().device(1), 5), 5,
                              device=1, size=59, marked=False)),
    "two_ranks": text_of(train(Process(11, rank=0, host="a").device(), 5),
                         train(Process(12, rank=1, host="b").device(), 5,
                               size=71)),
    "different_step_counts": text_of(
        train(Process(1).device(), 9), train(Process(2).device(), 3, size=83)),
    "process_without_gpu_first": text_of(
        Process(1, program="launcher").add("call t=0..5us thread=0 " + PLAIN),
        train(Process(2, program="train", framework="torch 2.11").device(), 6)),
    "one_process_without_steps": text_of(
        train(Process(1).device(), 6),
        Process(2).device(0, "name=T4").add(
            "kernel t=0..333us device=0 stream=7 name=gelu")),
    "known_and_unknown_cost": text_of(
        train(Process(1).device(), 4).add("overhead per_call=2us "
                                          "collector_cpu=0"),
        train(Process(2).device(), 4)),
}


def real_traces() -> list[list[str]]:
    paths = sorted(glob.glob(os.path.join(TRACES, "kineto_*.json.gz")))
    ranks = [path for path in paths if "multi_rank" in path]
    mixed = [path for path in paths if "cpu_only" in path or "alexnet" in path
             or "bert" in path]
    return [[path] for path in paths] + [ranks, mixed] if paths else []


class FacesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)

    def check(self, paths, *options: str) -> dict:
        faces = report_faces.Faces(DLTAP, paths, *options)
        self.assertEqual(faces.disagreements(), [])
        report_schema.check(faces.document, self.schema)
        return faces.document

    def check_text(self, name: str, *options: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name + ".txt")
            path.write_text(WRITTEN[name], encoding="utf-8")
            return self.check([str(path)], *options)

    def test_written_traces(self):
        self.assertGreaterEqual(len(WRITTEN), 10)
        for name in WRITTEN:
            with self.subTest(name):
                self.check_text(name)

    def test_golden_traces(self):
        folders = sorted(glob.glob(os.path.join(GOLDEN, "trace_*", "")))
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder):
                self.check([folder])
                self.check([os.path.join(folder, "run.txt")])

    def test_real_traces(self):
        if not real_traces():
            print("no folder of real traces; set DLTAP_SHARED")
        for paths in real_traces():
            with self.subTest(paths):
                self.check(paths)

    def test_each_trace_is_of_the_kind_it_was_written_for(self):
        """A trace that lost its point would test nothing."""
        self.assertEqual(self.check_text("two_gpus")["program"]["per_step"], 10)
        self.assertEqual(
            self.check_text("different_step_counts")["steps"]["count"], 12)
        self.assertEqual(
            self.check_text("period")["steps"]["found_by"], "period")
        self.assertEqual(self.check_text("small_classes")
                         ["small_classes"]["count"], 3)
        self.assertEqual(self.check_text("attention")["classes"][0]["class"],
                         "attention")
        kinds = {name: [limit["kind"] for limit in
                        self.check_text(name)["limit"]]
                 for name in ("host_bound", "exposed_communication",
                              "small_kernels", "wall_of_zero")}
        self.assertEqual(kinds, {"host_bound": ["idle"],
                                 "exposed_communication": ["communication"],
                                 "small_kernels": ["class"],
                                 "wall_of_zero": []})
        device = self.check_text("own_cost_and_losses")["devices"][0]
        self.assertGreater(device["not_observed_ns"], 0)
        self.assertLess(device["observed_ns"],
                        device["wall_ns"] - device["not_observed_ns"])

    def test_a_wrong_number_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.txt")
            path.write_text(WRITTEN["own_cost_and_losses"], encoding="utf-8")
            faces = report_faces.Faces(DLTAP, [str(path)])
        self.assertEqual(faces.disagreements(), [])
        document = faces.document
        for place, key in ((document["program"], "utilization"),
                           (document["program"], "cpu_dependency"),
                           (document["steps"], "mean_ns"),
                           (document["limit"][0], "share"),
                           (document["classes"][0], "tflops"),
                           (document["classes"][0]["step_mean"], "gpu_ns"),
                           (document["kernels"][0], "mean_ns"),
                           (document["devices"][0]["steps"][0], "ns"),
                           (document["trust"], "lost_records"),
                           (document["program"]["step_mean"], "idle_ns")):
            with self.subTest(key):
                right = place[key]
                place[key] = right * 1.37
                self.assertNotEqual(faces.disagreements(), [])
                place[key] = right

    def test_throughput(self):
        option = ("--samples-per-step", "64images")
        program = self.check_text("marked_steps", *option)["program"]
        self.assertGreater(program["samples_per_s"], 0)
        program = self.check_text("wall_of_zero", *option)["program"]
        self.assertIsNone(program["samples_per_s"])

    def test_program_without_gpu_work_spoils_no_name(self):
        document = self.check_text("process_without_gpu_first")
        self.assertEqual(document["source"]["program"], "train")
        self.assertEqual(document["steps"]["count"], 6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
