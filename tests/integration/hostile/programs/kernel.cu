// SPDX-License-Identifier: Apache-2.0
namespace {

__global__ void AddOne(int* numbers) { numbers[threadIdx.x] += 1; }

}  // namespace

// The launch of every hostile program, in a file that nvcc compiles.
extern "C" int LaunchKernel(int* numbers, void* stream) {
  AddOne<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>(numbers);
  return cudaGetLastError();
}

// By what the runtime knows it.
extern "C" const void* KernelStub() {
  return reinterpret_cast<const void*>(AddOne);
}
