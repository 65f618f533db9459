// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

using ErrorTest = RuntimeTest;

TEST_F(ErrorTest, LastErrorIsKeptUntilItIsRead) {
  EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(99));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaPeekAtLastError());
  EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
  EXPECT_OK(cudaGetLastError());
}

TEST_F(ErrorTest, LastErrorIsPerThread) {
  cudaSetDevice(99);
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaGetLastError(); }).join();
  EXPECT_EQ(cudaSuccess, other);
  EXPECT_EQ(cudaErrorInvalidDevice, cudaGetLastError());
}

TEST_F(ErrorTest, CallThatCannotBeSimulatedIsTheLastError) {
  cudaExternalMemory_t memory = nullptr;
  cudaExternalMemoryHandleDesc description = {};
  EXPECT_EQ(cudaErrorNotSupported,
            cudaImportExternalMemory(&memory, &description));
  EXPECT_EQ(nullptr, memory);
  EXPECT_EQ(cudaErrorNotSupported, cudaGetLastError());
}

TEST_F(ErrorTest, ImpossibleLaunchIsRefused) {
  void* args[] = {&data_, nullptr};
  EXPECT_EQ(
      cudaErrorInvalidConfiguration,
      cudaLaunchKernel(ScaleStub(), dim3(1), dim3(1025), args, 0, stream_));
  EXPECT_EQ(cudaErrorInvalidConfiguration,
            cudaLaunchKernel(ScaleStub(), dim3(0), dim3(1), args, 0, stream_));
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaLaunchKernel(ScaleStub(), dim3(1), dim3(1), args, 1 << 20, stream_));
  EXPECT_EQ(cudaErrorInvalidDeviceFunction,
            cudaLaunchKernel(this, dim3(1), dim3(1), args, 0, stream_));
}

TEST_F(ErrorTest, CooperativeLaunchMustFitTheDevice) {
  void* args[] = {&data_, nullptr};
  EXPECT_OK(cudaLaunchCooperativeKernel(ScaleStub(), dim3(132), dim3(1024),
                                        args, 0, stream_));
  EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge,
            cudaLaunchCooperativeKernel(ScaleStub(), dim3(100'000), dim3(1024),
                                        args, 0, stream_));
}

TEST_F(ErrorTest, NamesAndTextsAreTheVendors) {
  EXPECT_STREQ("cudaErrorInvalidValue",
               cudaGetErrorName(cudaErrorInvalidValue));
  EXPECT_STREQ("out of memory", cudaGetErrorString(cudaErrorMemoryAllocation));
  EXPECT_STREQ("unrecognized error code",
               cudaGetErrorString(static_cast<cudaError_t>(12345)));
}

TEST_F(ErrorTest, OccupancyFollowsTheArchitecture) {
  int blocks = 0;
  ASSERT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ScaleStub(),
                                                          256, 0));
  EXPECT_EQ(8, blocks);  // 2048 threads per SM of sm_90
  ASSERT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ScaleStub(),
                                                          256, 100 * 1024));
  EXPECT_EQ(2, blocks);  // 228 KiB of shared memory
}

TEST_F(ErrorTest, PropertiesAgreeWithAttributes) {
  cudaDeviceProp properties;
  ASSERT_OK(cudaGetDeviceProperties(&properties, 0));
  int sms = 0;
  ASSERT_OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_EQ(sms, properties.multiProcessorCount);
  EXPECT_EQ(132, sms);
  EXPECT_EQ(9, properties.major);
  EXPECT_EQ("dltapsim", std::string(properties.uuid.bytes, 8));
  EXPECT_NE(0u, properties.sharedMemPerBlockOptin);
}

TEST_F(ErrorTest, LimitsAreKept) {
  size_t heap = 0;
  ASSERT_OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
  ASSERT_OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT_EQ(size_t{1 << 24}, heap);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaDeviceGetLimit(&heap, static_cast<cudaLimit>(99)));
}

TEST_F(ErrorTest, ForkedChildCannotUseTheDevice) {
  const pid_t child = fork();
  ASSERT_NE(-1, child);
  if (child == 0) {
    void* block = nullptr;
    _exit(cudaMalloc(&block, 1) == cudaErrorInitializationError ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_EQ(0, status);
}

}  // namespace
