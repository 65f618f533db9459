// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_SUPPORT_H_
#define DLTAP_TESTS_UNIT_SIMGPU_SUPPORT_H_

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#define ASSERT_OK(call) ASSERT_EQ(cudaSuccess, (call))
#define EXPECT_OK(call) EXPECT_EQ(cudaSuccess, (call))

// A test that leaves no stream, error or allocation behind.
class RuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    void* block = nullptr;
    ASSERT_OK(cudaMalloc(&block, kBytes));
    data_ = static_cast<float*>(block);
  }
  void TearDown() override {
    cudaStreamDestroy(stream_);
    cudaFree(data_);
    cudaGetLastError();
  }

  static constexpr size_t kBytes = 1 << 20;
  cudaStream_t stream_ = nullptr;
  float* data_ = nullptr;
};

#endif  // DLTAP_TESTS_UNIT_SIMGPU_SUPPORT_H_
