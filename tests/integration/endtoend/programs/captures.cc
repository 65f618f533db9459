// SPDX-License-Identifier: Apache-2.0
// captures MODE [fork]: captures a stream in the mode 0 (global), 1 (thread
// local) or 2 (relaxed), while another thread launches into it; with `fork`,
// also into a stream that joins the capture by an event. Work in a third stream
// goes on all the while. Then replays the graph.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdlib>
#include <thread>

#include "tests/integration/endtoend/programs/device_work.h"
#include "tests/workloads/cuda/kernels.h"

namespace {

using corners::Check;

constexpr int kSize = 1024;
constexpr int kReplays = 5;

cudaStream_t NewStream() {
  cudaStream_t stream = nullptr;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  return stream;
}

struct Work {
  float* memory = nullptr;
  cublasHandle_t cublas = nullptr;
  cudaEvent_t event = nullptr;

  Work() {
    Check(cudaMalloc(&memory, 3 * kSize * sizeof(float)), "cudaMalloc");
    Check(cublasCreate(&cublas), "cublasCreate");
    Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
    Into(nullptr, 1);  // everything is loaded before a capture
  }

  void Into(cudaStream_t stream, int count) {
    constexpr int kSide = 32;
    const float one = 1;
    Check(cublasSetStream(cublas, stream), "cublasSetStream");
    for (int i = 0; i < count; ++i) {
      workloads::ReluForward(memory, memory + kSize, kSize, stream);
      Check(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide,
                        &one, memory, kSide, memory + kSize, kSide, &one,
                        memory + 2 * kSize, kSide),
            "cublasSgemm");
    }
  }

  // Into a stream that joins the capture of `stream` and comes back.
  void IntoForked(cudaStream_t stream, cudaStream_t forked) {
    Check(cudaEventRecord(event, stream), "cudaEventRecord");
    Check(cudaStreamWaitEvent(forked, event, 0), "cudaStreamWaitEvent");
    Into(forked, 4);
    Check(cudaEventRecord(event, forked), "cudaEventRecord");
    Check(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
  }
};

}  // namespace

int main(int argc, char** argv) {
  const auto mode =
      static_cast<cudaStreamCaptureMode>(argc > 1 ? std::atoi(argv[1]) : 0);
  const bool forks = argc > 2;
  Work own;
  Work others;
  const cudaStream_t stream = NewStream();
  const cudaStream_t forked = NewStream();
  const cudaStream_t outside = NewStream();
  for (const cudaStream_t each : {stream, forked, outside}) {
    own.Into(each, 1);
    others.Into(each, 1);
  }
  Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  Check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture");
  own.Into(stream, 3);
  std::thread([&] {
    others.Into(stream, 5);
    if (forks) others.IntoForked(stream, forked);
    others.Into(outside, 2);
  }).join();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  Check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  Check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < kReplays; ++i) {
    Check(cudaGraphLaunch(exec, stream), "cudaGraphLaunch");
  }
  own.Into(stream, 3);
  Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return 0;
}
