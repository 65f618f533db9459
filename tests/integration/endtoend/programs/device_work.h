// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_INTEGRATION_ENDTOEND_PROGRAMS_DEVICE_WORK_H_
#define DLTAP_TESTS_INTEGRATION_ENDTOEND_PROGRAMS_DEVICE_WORK_H_

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace corners {

inline void Check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s gave %d\n", what, status);
  std::exit(1);
}

// What one thread gives the device to do: memsets, and matrix products, which
// are launches inside a library call.
class DeviceWork {
 public:
  DeviceWork() {
    Check(cudaMalloc(&memory_, 3 * kSide * kSide * sizeof(float)),
          "cudaMalloc");
    Check(cublasCreate(&cublas_), "cublasCreate");
  }
  ~DeviceWork() { Close(); }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

  void Close() {
    if (cublas_ != nullptr) cublasDestroy(cublas_);
    if (memory_ != nullptr) cudaFree(memory_);
    cublas_ = nullptr;
    memory_ = nullptr;
  }
  void Memsets(int count) {
    for (int i = 0; i < count; ++i) {
      Check(cudaMemsetAsync(memory_, i, 64, nullptr), "cudaMemsetAsync");
    }
  }
  bool TryMemset() {
    return cudaMemsetAsync(memory_, 1, 64, nullptr) == cudaSuccess;
  }
  void Products(int count) {
    auto* a = static_cast<float*>(memory_);
    const float one = 1;
    for (int i = 0; i < count; ++i) {
      Check(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, kSide, kSide, kSide,
                        &one, a, kSide, a + kSide * kSide, kSide, &one,
                        a + 2 * kSide * kSide, kSide),
            "cublasSgemm");
    }
  }
  static void Wait() {
    Check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

 private:
  static constexpr int kSide = 32;
  void* memory_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
};

}  // namespace corners

#endif  // DLTAP_TESTS_INTEGRATION_ENDTOEND_PROGRAMS_DEVICE_WORK_H_
