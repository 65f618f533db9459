# SPDX-License-Identifier: Apache-2.0
"""Runs a workload on a simulated GPU in virtual time, and reads its report."""

import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/workloads/python"

# PyTorch of CUDA 13 refuses recurrent layers on GPUs before sm_75: see "GPUs
# that CUDA 13 has given up" in simgpu/USING.md.
OLD_GPU = {"DLTAP_SIM_CUDNN_VERSION": "9.10.2",
           "PYTORCH_SKIP_CUDNN_COMPATIBILITY_CHECK": "1"}
BEFORE_TURING = ("quadro-p4000", "titan-xp", "v100-sxm")
SHARE_SHOWN = 0.001  # of a class

def _environment(gpu: str) -> dict[str, str]:
    environment = dict(os.environ, PYTHONWARNINGS="ignore")
    if gpu in BEFORE_TURING:
        environment.update(OLD_GPU)
    return environment

def _shares(report: dict) -> str:
    return " ".join(f"{row['class']}={row['share']:.4f}"
                    for row in report["classes"]
                    if row["share"] >= SHARE_SHOWN)

def _owners(report: dict) -> dict:
    """MiB by owner in a step, and held; empty: not known."""
    devices = report["memory"]["devices"]
    owners = devices[0]["step_owners"] if len(devices) == 1 else None
    if not owners:
        return {}
    mib = {name.removesuffix("_bytes") + "_mib": round(count / 2**20, 1)
           for name, count in owners.items()
           if name.endswith("_bytes") and count is not None}
    return {**mib, "held_mib": round(
        devices[0]["held"]["peak_bytes"] / 2**20, 1)}


def _long_and_low(report: dict) -> str:
    found = report.get("long_and_low") or {}
    classes = {kernel["class"] for kernel in found.get("kernels", [])}
    return " ".join(sorted(classes))

def row_of(workload, gpu: str, batch: int, report: dict) -> dict:
    """The columns of docs/models.csv for one run."""
    program = report["program"]
    step_ns = report["steps"]["mean_ns"]
    samples = (batch or 0) * workload.per_sample
    return {
        "model": workload.name, "kind": workload.kind, "gpu": gpu,
        "batch": batch or "", "unit": workload.unit,
        "step_ms": round(step_ns / 1e6, 3) if step_ns else "",
        "per_s": round(samples * 1e9 / step_ns, 2) if step_ns and batch else "",
        "steps_used": report["steps"]["used_count"],
        "gpu_busy": program["utilization"],
        "cpu_dependency": program["cpu_dependency"],
        "of_peak": program["total"]["of_peak"],
        "tflops": program["total"]["tflops"],
        "classified": report["trust"]["classified_share"],
        "shares": _shares(report), "long_and_low": _long_and_low(report),
        **_owners(report)}

def measure(dltap, python: str, workload, gpu: str, batch: int) -> dict:
    """One run; raises RuntimeError with what the program said if it fails."""
    with tempfile.TemporaryDirectory(prefix="dltap-models-") as folder:
        trace = f"{folder}/trace"
        script, *rest = workload.arguments(batch)
        run = subprocess.run(
            [dltap, "run", "--no-report", "-o", trace, "--gpu", f"sim:{gpu}",
             "--sim-clock", "virtual", "--what-if", "--", python,
             SCRIPTS / script, *rest],
            env=_environment(gpu), capture_output=True, text=True, check=False)
        if run.returncode != 0:
            last = (run.stderr.strip().splitlines() or ["?"])
            raise RuntimeError(next((line for line in reversed(last)
                                     if "Error" in line), last[-1]))
        report = subprocess.run([dltap, "report", "--json", trace],
                                capture_output=True, text=True, check=True)

        return row_of(workload, gpu, batch, json.loads(report.stdout))
