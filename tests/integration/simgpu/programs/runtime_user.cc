// SPDX-License-Identifier: Apache-2.0
// Copies, launches, captures and replays by the runtime alone, checks what
// comes back, and prints "NAME COUNT" for the driver's functions behind its
// calls. Built with the simulated runtime as an archive, with the shared one,
// and (DLTAP_WITH_CUBLAS) as an archive beside a library that is shared. Usage:
// runtime_user [ROUNDS]
#include <cuda_runtime_api.h>
#ifdef DLTAP_WITH_CUBLAS
#include <cublas_v2.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/unit/simgpu/kernels.h"

namespace {

constexpr size_t kFloats = 1 << 16;
constexpr size_t kBytes = kFloats * sizeof(float);

void Check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %d\n", what, static_cast<int>(error));
  std::exit(2);
}
#define CUDA(call) Check(call, #call)

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(3);
}
#define EXPECT(condition) Expect(condition, #condition)

// Up, one row of two in a device's copy, and down again.
void Copy(float* device, cudaStream_t stream) {
  std::vector<float> sent(kFloats), received(kFloats);
  for (size_t i = 0; i < kFloats; ++i) sent[i] = static_cast<float>(i);
  CUDA(cudaMemcpy(device, sent.data(), kBytes, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy2DAsync(device, 512, device + 64, 512, 256, kFloats / 128,
                         cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaMemsetAsync(device + kFloats / 2, 0, kBytes / 2, stream));
  CUDA(cudaMemcpyAsync(received.data(), device, kBytes, cudaMemcpyDeviceToHost,
                       stream));
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(received[0] == 64 && received[63] == 127 && received[64] == 64);
  EXPECT(received[kFloats - 1] == 0);
}

void Launch(float* device, cudaStream_t stream) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin, stream));
  for (int i = 0; i < 3; ++i) LaunchScale(device, kFloats / 256, stream);
  CUDA(cudaGetLastError());
  CUDA(cudaEventRecord(end, stream));
  CUDA(cudaEventSynchronize(end));
  float ms = 0;
  CUDA(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms > 0);
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
}

void Replay(float* device, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  LaunchScale(device, 4, stream);
  LaunchScale(device, 8, stream);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

void Fail() {
  EXPECT(cudaMemcpy(nullptr, nullptr, 64, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) ==
         "cudaErrorMemoryAllocation");
}

// First, so that a tap which knows it has begun to record.
void Multiply([[maybe_unused]] float* device) {
#ifdef DLTAP_WITH_CUBLAS
  cublasHandle_t handle = nullptr;
  const float one = 1, zero = 0;
  EXPECT(cublasCreate_v2(&handle) == CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one,
                        device, 64, device, 64, &zero, device,
                        64) == CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasDestroy_v2(handle) == CUBLAS_STATUS_SUCCESS);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = std::max(1, argc > 1 ? std::atoi(argv[1]) : 1);
  float* device = nullptr;
  CUDA(cudaMalloc(reinterpret_cast<void**>(&device), kBytes));
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  Multiply(device);
  cudaStream_t stream = nullptr;
  CUDA(cudaStreamCreate(&stream));
  for (int i = 0; i < rounds; ++i) {
    Copy(device, stream);
    Launch(device, stream);
    Replay(device, stream);
    Fail();
  }
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(device));
  std::printf(
      "cuMemAlloc_v2 1\ncuMemFree_v2 1\ncuCtxSynchronize 1\n"
      "cuStreamCreateWithPriority 1\ncuStreamDestroy_v2 1\n"
      "cuMemcpyHtoD_v2 %d\ncuMemcpy2DAsync_v2 %d\ncuMemsetD8Async %d\n"
      "cuMemcpyDtoHAsync_v2 %d\ncuStreamSynchronize %d\n"
      "cuEventCreate %d\ncuEventRecord %d\ncuEventSynchronize %d\n"
      "cuEventElapsedTime %d\ncuEventDestroy_v2 %d\n"
      "cuLaunchKernel %d\ncuGraphLaunch %d\n",
      2 * rounds, rounds, rounds, rounds, 2 * rounds, 2 * rounds, 2 * rounds,
      rounds, rounds, 2 * rounds, 5 * rounds, 2 * rounds);
}
