# SPDX-License-Identifier: Apache-2.0
"""products.py GEMMS SYNCS: a loop of matrix products; needs no framework."""
import ctypes
import sys

SIZE = 512


def load(name: str) -> ctypes.CDLL:
    for major in (13, 12):
        try:
            return ctypes.CDLL(f"lib{name}.so.{major}")
        except OSError:
            pass
    raise SystemExit(f"no lib{name}")


def train(gemms: int, syncs: int, steps: int = 12) -> None:
    cuda, blas = load("cudart"), load("cublas")
    handle = ctypes.c_void_p()
    assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
    matrix = ctypes.c_void_p()
    assert cuda.cudaMalloc(ctypes.byref(matrix),
                           ctypes.c_size_t(4 * SIZE * SIZE)) == 0
    one = ctypes.c_float(1)
    for _ in range(steps):
        for _ in range(gemms):
            assert blas.cublasSgemm_v2(
                handle, 0, 0, SIZE, SIZE, SIZE, ctypes.byref(one), matrix,
                SIZE, matrix, SIZE, ctypes.byref(one), matrix, SIZE) == 0
        assert cuda.cudaMemsetAsync(matrix, 0, ctypes.c_size_t(4096), None) == 0
        for _ in range(syncs):
            assert cuda.cudaDeviceSynchronize() == 0


if __name__ == "__main__":
    train(int(sys.argv[1]), int(sys.argv[2]))
