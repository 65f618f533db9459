#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dltap report on real traces, against sums made here from the same JSON.

usage: kineto_traces_test.py DLTAP SCHEMA [TRACES]

Skips, saying so, when the folder of traces is not there.
"""
import glob
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report_schema  # noqa: E402

DLTAP, SCHEMA = sys.argv[1:3]
TRACES = sys.argv[3] if len(sys.argv) > 3 else ""

# Operator -> class, where PyTorch's operator leaves no doubt: the truth that
# kernel-name rules are scored against.
CERTAIN = {
    "aten::mm": "gemm", "aten::addmm": "gemm", "aten::bmm": "gemm",
    "aten::cudnn_convolution": "conv", "aten::convolution_backward": "conv",
    "aten::cudnn_batch_norm": "norm", "aten::cudnn_batch_norm_backward": "norm",
    "aten::native_layer_norm": "norm", "aten::_flash_attention_forward": "attention",
    "aten::max_pool2d_with_indices": "pool",
    "aten::max_pool2d_with_indices_backward": "pool",
    "aten::threshold_backward": "activation", "aten::gelu": "activation",
    "aten::_log_softmax": "softmax", "aten::add_": "elementwise",
    "aten::mul": "elementwise", "aten::cat": "layout",
}


def load(path: str) -> dict:
    with gzip.open(path, "rt", errors="replace") as file:
        return json.load(file)


def is_gpu_row(event: dict) -> bool:
    return (event.get("ph") == "X" and
            event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))


def report(path: str, *options: str) -> dict:
    done = subprocess.run([DLTAP, "report", "--json", *options, path],
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def all_traces() -> list[str]:
    return sorted(glob.glob(os.path.join(TRACES, "kineto_*.json.gz")))


@unittest.skipUnless(TRACES and all_traces(),
                     "no folder of real traces; set DLTAP_SHARED")
class KinetoTracesTest(unittest.TestCase):
    def test_every_trace_reports_by_the_schema(self):
        with open(SCHEMA, encoding="utf-8") as file:
            schema = json.load(file)
        for path in all_traces():
            with self.subTest(path):
                report_schema.check(report(path), schema)

    def test_no_activity_is_lost(self):
        for path in all_traces():
            with self.subTest(path):
                rows = [e for e in load(path)["traceEvents"] if is_gpu_row(e)]
                found = report(path)
                self.assertEqual(sum(found["trust"]["lost"].values()), 0)
                if found["steps"]["found_by"] != "none":
                    continue
                self.assertEqual(
                    sum(c["kernels"] for c in found["classes"]),
                    sum(e["dur"] > 0 for e in rows))
                self.assertAlmostEqual(
                    sum(c["gpu_ns"] for c in found["classes"]),
                    sum(e["dur"] * 1000 for e in rows), delta=len(rows))

    def test_device_states_sum_to_the_wall_time(self):
        for path in all_traces():
            with self.subTest(path):
                for device in report(path)["devices"]:
                    self.assertEqual(
                        device["wall_ns"],
                        device["busy_ns"] + device["idle_ns"] +
                        device["not_observed_ns"])

    def test_phases_sum_to_the_wall_time(self):
        for path in all_traces():
            with self.subTest(path):
                found = report(path)
                self.assertEqual(sum(found["phases"].values()),
                                 sum(d["wall_ns"] for d in found["devices"]))

    def test_union_of_intervals_is_the_busy_time(self):
        path = os.path.join(TRACES, "kineto_alexnet.json.gz")
        found = report(path)
        device = found["devices"][0]
        self.assertGreater(device["busy_ns"], 0)
        self.assertLessEqual(device["busy_ns"],
                             sum(c["gpu_ns"] for c in found["classes"]))

    def test_nearly_all_gpu_time_is_classified(self):
        for path in all_traces():
            with self.subTest(path):
                found = report(path)
                if found["devices"]:
                    self.assertGreaterEqual(
                        found["trust"]["classified_share"], 0.98)

    def test_a_trace_without_gpu_work_says_so(self):
        path = os.path.join(TRACES, "kineto_cpu_only_rank34.json.gz")
        done = subprocess.run([DLTAP, "report", path], capture_output=True,
                              text=True, check=True)
        self.assertIn("no GPU work", done.stdout)

    def test_names_alone_agree_with_the_operators(self):
        """Strips the operators from a trace and asks for classes by name."""
        right = wrong = 0
        for path in all_traces():
            trace = load(path)
            operators = {}
            for event in trace["traceEvents"]:
                args = event.get("args", {})
                if event.get("cat") == "cpu_op" and "External id" in args:
                    operators[args["External id"]] = event["name"]
            truth = {}
            for event in trace["traceEvents"]:
                if event.get("cat") != "kernel":
                    continue
                operator = operators.get(event["args"].get("External id"))
                if operator in CERTAIN:
                    truth.setdefault(event["name"], (CERTAIN[operator], 0))
                    kind, time = truth[event["name"]]
                    truth[event["name"]] = (kind, time + event["dur"])
            if not truth:
                continue
            by_name = self.classes_by_name(trace)
            for name, (kind, time) in truth.items():
                # A GEMM kernel serves convolutions too; its name cannot tell.
                if kind == "conv" and by_name.get(name) in ("gemm", "layout"):
                    continue
                if by_name.get(name) == kind:
                    right += time
                else:
                    wrong += time
        self.assertGreater(right, 0)
        self.assertLess(wrong / (right + wrong), 0.02)

    def classes_by_name(self, trace: dict) -> dict[str, str]:
        bare = {"traceEvents": [e for e in trace["traceEvents"]
                                if is_gpu_row(e)]}
        for event in bare["traceEvents"]:
            event["args"].pop("External id", None)
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"),
                            f"dltap-names-{os.getpid()}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(bare, file)
        try:
            found = report(path, "--no-composite")
            return {k["name"]: k["class"] for k in found["kernels"]}
        finally:
            os.remove(path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
