// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_KERNELS_H_
#define DLTAP_TESTS_UNIT_SIMGPU_KERNELS_H_

#include <cuda_runtime_api.h>

// Compiled by nvcc: the host side of launches is what a user's program has.
void LaunchScale(float* data, int blocks, cudaStream_t stream);

// The host stub of the same kernel, for functions that take one.
const void* ScaleStub();
const void* CounterSymbol();  // __device__ int, 4 bytes

int* ManagedValue();  // __managed__ int

#endif  // DLTAP_TESTS_UNIT_SIMGPU_KERNELS_H_
