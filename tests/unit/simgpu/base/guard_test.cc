// SPDX-License-Identifier: Apache-2.0
// Run without DLTAP_SIM_GPU: the libraries must not pass for a GPU.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/kernels.h"

namespace {

TEST(GuardTest, EveryEntrySaysStubLibrary) {
  EXPECT_EQ(CUDA_ERROR_STUB_LIBRARY, cuInit(0));
  int count = -1;
  EXPECT_EQ(CUDA_ERROR_STUB_LIBRARY, cuDeviceGetCount(&count));
  EXPECT_EQ(cudaErrorStubLibrary, cudaGetDeviceCount(&count));
  EXPECT_EQ(cudaErrorStubLibrary, cudaFree(nullptr));
  EXPECT_EQ(-1, count);
  LaunchScale(nullptr, 1, nullptr);
  EXPECT_EQ(cudaErrorStubLibrary, cudaGetLastError());
}

TEST(GuardTest, ATypedDefaultRefusesToo) {
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaErrorStubLibrary, cudaFreeArray(array));
}

}  // namespace
