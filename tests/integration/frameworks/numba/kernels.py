# SPDX-License-Identifier: Apache-2.0
"""Numba: kernels compiled with NVVM, launched by the driver API."""

import math
import os
import pathlib

import checks
import numpy as np
from numba import cuda, guvectorize, vectorize
from numba.cuda.random import (create_xoroshiro128p_states,
                               xoroshiro128p_uniform_float32)


@cuda.jit
def add_one(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] += 1


@cuda.jit
def tile_sum(values, out):
    tile = cuda.shared.array(128, "float32")
    i = cuda.threadIdx.x
    tile[i] = values[cuda.grid(1)]
    cuda.syncthreads()
    if i == 0:
        cuda.atomic.add(out, 0, tile[0])


@checks.check
def devices():
    assert "H100" in str(cuda.get_current_device().name)
    assert cuda.current_context().get_memory_info().total > 1 << 30


@checks.check
def copies():
    data = np.arange(1000, dtype=np.float32)
    there = cuda.to_device(data)
    assert cuda.is_cuda_array(there)
    np.testing.assert_array_equal(there.copy_to_host(), data)
    other = cuda.device_array_like(there)
    other.copy_to_device(there)
    np.testing.assert_array_equal(other.copy_to_host(), data)


@checks.check
def kernels():
    values = cuda.to_device(np.zeros(1000, np.float32))
    add_one[8, 128](values)
    tile_sum[4, 128](values, cuda.device_array(1, np.float32))


@checks.check
def debugged_kernel():
    """Its error code is a variable of the linked image."""
    @cuda.jit(debug=True, opt=False)
    def set_first(values):
        values[0] = 1

    set_first[1, 1](cuda.device_array(10, np.float32))


@checks.check
def kept_kernel():
    @cuda.jit(cache=True)
    def set_first(values):
        values[0] = math.exp(values[0])

    set_first[1, 1](cuda.device_array(10, np.float32))
    kept = pathlib.Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")
    assert len(list(kept)) == 1


@checks.check
def kernels_of_numba():
    ones = np.ones(1000, np.float32)
    assert cuda.reduce(lambda a, b: a + b)(ones) == 0  # not computed

    @vectorize(["float32(float32, float32)"], target="cuda")
    def add(a, b):
        return a + b

    @guvectorize(["void(float32[:], float32[:])"], "(n)->(n)", target="cuda")
    def copy(source, target):
        for i in range(source.shape[0]):
            target[i] = source[i]

    assert add(ones, ones).shape == (1000,)
    assert copy(ones.reshape(10, 100)).shape == (10, 100)


@checks.check
def random_numbers():
    @cuda.jit
    def draw(states, values):
        i = cuda.grid(1)
        values[i] = xoroshiro128p_uniform_float32(states, i)

    draw[1, 64](create_xoroshiro128p_states(64, seed=1),
                cuda.device_array(64, np.float32))


@checks.check
def grid_sync_needs_a_toolkit():
    """Not the simulation stops it: libcudadevrt.a is in no wheel of its."""
    @cuda.jit
    def wait(values):
        cuda.cg.this_grid().sync()
        values[0] = 1

    try:
        wait[2, 32](cuda.device_array(10, np.float32))
    except Exception as error:  # its type is no public one
        assert "libcudadevrt.a not found" in str(error), error


@checks.check
def streams_and_events():
    stream = cuda.stream()
    begin, end = cuda.event(), cuda.event()
    values = cuda.to_device(np.zeros(1 << 20, np.float32), stream=stream)
    begin.record(stream)
    add_one[8192, 128, stream](values)
    end.record(stream)
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) > 0


@checks.check
def pinned_and_managed_memory():
    with cuda.pinned(np.zeros(100)):
        pass
    pinned = cuda.pinned_array(100, np.float32)
    pinned[:] = 7
    assert cuda.to_device(pinned).copy_to_host()[99] == 7
    managed = cuda.managed_array(100, np.float32)
    managed[:] = 3
    add_one[1, 128](managed)


checks.run_all(cuda.synchronize)
