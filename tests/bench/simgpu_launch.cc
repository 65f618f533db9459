// SPDX-License-Identifier: Apache-2.0
// Host cost of one launch on the simulated GPU, and how it scales: nothing on
// the way of a launch is shared by threads that use streams of their own.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include "tests/unit/simgpu/core/kernels.h"

namespace {

void BM_Launch(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* data = nullptr;
  void* arguments[] = {&data, &data};
  for (auto _ : state) {
    cudaLaunchKernel(ScaleStub(), dim3(64), dim3(256), arguments, 0, stream);
  }
  state.SetItemsProcessed(state.iterations());
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_Launch)->ThreadRange(1, 8)->UseRealTime();

void BM_LegacyStreamLaunch(benchmark::State& state) {
  for (auto _ : state) LaunchScale(nullptr, 64, nullptr);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_LegacyStreamLaunch);

void BM_GetDevice(benchmark::State& state) {
  int device = 0;
  for (auto _ : state) cudaGetDevice(&device);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GetDevice);

}  // namespace
