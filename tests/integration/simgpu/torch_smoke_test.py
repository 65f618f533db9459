# SPDX-License-Identifier: Apache-2.0
"""Does unmodified PyTorch run on the simulated CUDA libraries?

Usage: torch_smoke_test.py LIBRARY_DIR GPU GROUP [CLOCK]

Runs torch_checks/GROUP.py in a process that finds the simulated libraries.
Few values are computed there, so the checks look at shapes, at times, at what
was launched, and at data that copies move. DLTAP_TORCH_PYTHON is an interpreter
with another release of PyTorch. Skipped without torch.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
FIND_TORCH = ("import importlib.util, sys\n"
              "sys.exit(importlib.util.find_spec('torch') is None)")


def main(library_dir, gpu, group, clock="skip"):
    python = os.environ.get("DLTAP_TORCH_PYTHON", sys.executable)
    if not python or subprocess.run([python, "-c", FIND_TORCH]).returncode:
        print("skipped: no Python with torch")
        return SKIPPED
    folder = pathlib.Path(__file__).resolve().parent / "torch_checks"
    with tempfile.TemporaryDirectory() as scratch:
        library_dir = pathlib.Path(library_dir).absolute()
        environment = dict(
            os.environ, LD_LIBRARY_PATH=str(library_dir),
            DLTAP=str(library_dir.parents[1] / "bin" / "dltap"),
            DLTAP_SIM_GPU=gpu, DLTAP_SIM_GPUS="2", DLTAP_SIM_CLOCK=clock,
            # What a simulated compiler makes must not reach the user's caches.
            PYTORCH_KERNEL_CACHE_PATH=scratch, TMPDIR=scratch)
        return subprocess.run([python, "-B", folder / f"{group}.py"],
                              env=environment, cwd=scratch).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
