# SPDX-License-Identifier: Apache-2.0
"""python_replaced.py SIMGPU_DIR: GEMMs from code and classes that come and go.

What is made takes the place of what was freed before it. Prints, as JSON, for
each GEMM what one of its frames is: number from inside, what of it, the answer.
"""

import ctypes
import json
import sys

EXPECTED = []
TIMES = 60

runtime = ctypes.CDLL(f"{sys.argv[1]}/libcudart.so.13")
blas = ctypes.CDLL(f"{sys.argv[1]}/libcublas.so.13")
memory, handle = ctypes.c_void_p(), ctypes.c_void_p()
assert runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20)) == 0
assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
scale = ctypes.byref(ctypes.c_float(1))


def gemm():
    blas.cublasSgemm_v2(handle, 0, 0, 64, 64, 64, scale, memory, 64, memory, 64,
                        scale, memory, 64)


def run(text, place, *expected):
    names = {"gemm": gemm}
    exec(compile(text, place, "exec"), names)
    EXPECTED.append(expected)
    names["made"]()


def lines():
    for i in range(TIMES):
        empty = "\n" * (i % 5)
        run(f"def made():\n{empty}  gemm()\n", "<lines>", 1, "line",
            str(2 + i % 5))


def places():
    for i in range(TIMES):
        place = f"<place {i % 5}>"
        run("def made():\n  gemm()\n", place, 1, "place", place)


def functions():
    for i in range(TIMES):
        owner, name = f"Of{i % 5}", f"it{i % 5}"
        # Code has had its qualified name since 3.11.
        shown = (f"{owner}.{name}" if sys.version_info >= (3, 11) else name)
        run(f"class {owner}:\n  def {name}(): gemm()\nmade = {owner}.{name}\n",
            "<functions>", 1, "function", shown)


def modules():
    names = {"gemm": gemm}
    exec(compile("def _call_impl(self): gemm()\n",
                 "/nowhere/torch/nn/modules/module.py", "exec"), names)
    for i in range(TIMES):
        made = type(f"Layer{i % 5}", (), {"__call__": names["_call_impl"]})
        EXPECTED.append([1, "detail", f"Layer{i % 5}"])
        names["_call_impl"](made())


for way in (lines, places, functions, modules):
    way()
print(json.dumps(EXPECTED))
