# SPDX-License-Identifier: Apache-2.0
"""Do the simulated libraries have every CUDA function that PyTorch imports?

Usage: imports_test.py GENERATED_DIR. Looks at the torch of the interpreter that
runs it, and is skipped, with a message, where there is none. One missing name
would end `import torch` with an "undefined symbol".
"""

import importlib.util
import pathlib
import re
import subprocess
import sys

CUDA_NAME = re.compile(
    r"(__cuda|cu[A-Z]|cuda[A-Z]|cublas|cudnn|cupti|p?nccl[A-Z]|nvrtc|cusolver"
    r"|cusparse|cufft|curand|nvshmem|nvml)\w*")


def simulated(generated):
    names = set()
    for script in (generated / "simgpu/cuda13").glob("*.lds"):
        names |= set(re.findall(r"^    (\w+);$", script.read_text(), re.M))
    return names


def imported(folder):
    """CUDA-side names that no library of the folder itself defines."""
    undefined, defined = set(), set()
    for library in sorted(folder.glob("*.so")):
        undefined |= symbols(library, "--undefined-only")
        defined |= symbols(library, "--defined-only")
    return {n for n in undefined - defined if CUDA_NAME.fullmatch(n)}


def symbols(library, which):
    run = subprocess.run(["nm", "-D", which, library], capture_output=True,
                         text=True, check=True)
    return {line.split()[-1].split("@")[0]
            for line in run.stdout.splitlines() if line}


def main():
    spec = importlib.util.find_spec("torch")
    if spec is None:
        print("skipped: this interpreter has no torch")
        return 0
    wanted = imported(pathlib.Path(spec.origin).parent / "lib")
    missing = sorted(wanted - simulated(pathlib.Path(sys.argv[1])))
    print(f"{len(wanted)} imported names, missing: {missing or 'none'}")
    return 1 if missing or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
