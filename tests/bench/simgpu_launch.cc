// SPDX-License-Identifier: Apache-2.0
// Host cost of one launch on the simulated GPU, and how it scales: nothing on
// the way of a launch is shared by threads that use streams of their own.
#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include "tests/unit/simgpu/kernels.h"

namespace {

// Argument: blocks of a kernel. With 64 the kernels of 8 streams fit on the
// device together; with 4096 each fills it, and streams must share it out.
void BM_Launch(benchmark::State& state) {
  const dim3 grid(static_cast<unsigned>(state.range(0)));
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* data = nullptr;
  void* arguments[] = {&data, &data};
  cudaError_t error = cudaSuccess;
  for (auto _ : state) {
    error =
        cudaLaunchKernel(ScaleStub(), grid, dim3(256), arguments, 0, stream);
  }
  if (error != cudaSuccess) state.SkipWithError(cudaGetErrorString(error));
  state.SetItemsProcessed(state.iterations());
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_Launch)->Arg(64)->Arg(4096)->ThreadRange(1, 8)->UseRealTime();

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
