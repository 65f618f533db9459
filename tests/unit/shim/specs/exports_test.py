# SPDX-License-Identifier: Apache-2.0
"""Do the vendor's libraries export what the specs say they do?

Usage: exports_test.py GENERATED_DIR CUDA_LIB_DIR. Compares the version scripts
of the simulated libraries with the dynamic symbols of the real ones. Libraries
that are not installed (only cudart, cudnn and cupti come with the slim set-up)
are named and skipped.
"""

import pathlib
import re
import subprocess
import sys

LIBRARIES = ("cudart", "cublas", "cublaslt", "cudnn", "nccl", "cupti", "nvrtc")


def declared(script):
    text = script.read_text()
    node = re.search(r"^(\S+) \{", text, re.M)
    return node and node[1], set(re.findall(r"^    (\w+);$", text, re.M))


def exported(library):
    run = subprocess.run(["nm", "-D", "--defined-only", library],
                         capture_output=True, text=True, check=True)
    symbols = [line.split()[-1] for line in run.stdout.splitlines()]
    names = {s.split("@")[0] for s in symbols}
    nodes = {s.split("@")[-1] for s in symbols if "@" in s}
    return names, nodes


def main():
    generated, libs = map(pathlib.Path, sys.argv[1:3])
    failed = 0
    for name in LIBRARIES:
        node, wanted = declared(generated / "simgpu/cuda13" / f"{name}.lds")
        soname = node or f"lib{name}.so.2"
        library = libs / soname
        if not library.exists():
            print(f"skipped: {soname} is not in {libs}")
            continue
        names, nodes = exported(library)
        missing = sorted(wanted - names)
        if missing:
            print(f"{soname} does not export: {', '.join(missing)}")
        if node and nodes != {node}:
            print(f"{soname}: version nodes are {nodes}, not {node}")
        failed += bool(missing) or (node is not None and nodes != {node})
        print(f"{soname}: {len(wanted)} functions compared")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
