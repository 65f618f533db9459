// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/simgpu/kernels.h"

__device__ int g_counter;
__managed__ int g_managed;

__global__ void Scale(float* data, float factor) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

void LaunchScale(float* data, int blocks, cudaStream_t stream) {
  Scale<<<blocks, 256, 0, stream>>>(data, 2.0f);
}

const void* ScaleStub() { return reinterpret_cast<const void*>(&Scale); }

const void* CounterSymbol() { return &g_counter; }

int* ManagedValue() { return &g_managed; }
