// SPDX-License-Identifier: Apache-2.0
// What takes the device's memory, what does not, and who may give it back.
#include <cuda.h>
#include <sys/mman.h>

#include <vector>

#include "tests/unit/simgpu/support.h"

namespace {

using AccountingTest = RuntimeTest;

constexpr size_t kMiB = 1 << 20;

size_t FreeBytes() {
  size_t free = 0;
  size_t total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  return free;
}

TEST_F(AccountingTest, AContextTakesSomeHundredMebibytes) {
  ASSERT_OK(cudaDeviceReset());
  size_t free = 0;
  size_t total = 0;
  ASSERT_OK(cudaMemGetInfo(&free, &total));
  // 6 MiB and 3 MiB for each of the 132 SMs.
  EXPECT_EQ(402 * kMiB, total - free);
  CUcontext another = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuCtxCreate(&another, nullptr, 0, 0));
  EXPECT_EQ(free - 402 * kMiB, FreeBytes());
  ASSERT_EQ(CUDA_SUCCESS, cuCtxDestroy(another));
  EXPECT_EQ(free, FreeBytes());
  data_ = nullptr;
}

TEST_F(AccountingTest, ResetFreesWhatTheDeviceHolds) {
  ASSERT_OK(cudaDeviceReset());
  const size_t before = FreeBytes();
  void* block = nullptr;
  ASSERT_OK(cudaMalloc(&block, 64 * kMiB));
  ASSERT_OK(cudaDeviceReset());
  EXPECT_EQ(before, FreeBytes());
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  data_ = nullptr;
}

TEST_F(AccountingTest, EveryAllocatorStopsAtTheDevicesSize) {
  const size_t left = FreeBytes();
  void* block = nullptr;
  size_t pitch = 0;
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaMallocPitch(&block, &pitch, left / 4, 5));
  cudaPitchedPtr box{};
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaMalloc3D(&box, cudaExtent{1 << 20, 1 << 10, 1 << 10}));
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaMallocAsync(&block, left + kMiB, stream_));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemGenericAllocationHandle handle = 0;
  const size_t pieces = left / (2 * kMiB) + 1;
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY,
            cuMemCreate(&handle, pieces * 2 * kMiB, &properties, 0));
  EXPECT_EQ(left, FreeBytes());
}

TEST_F(AccountingTest, ManagedMemoryMayBeLargerThanTheDevice) {
  const size_t left = FreeBytes();
  void* block = nullptr;
  ASSERT_OK(cudaMallocManaged(&block, 2 * left, cudaMemAttachGlobal));
  EXPECT_EQ(left, FreeBytes());
  static_cast<char*>(block)[left] = 1;
  EXPECT_OK(cudaFree(block));
}

TEST_F(AccountingTest, HostMemoryIsNotTheDevices) {
  const size_t left = FreeBytes();
  void* block = nullptr;
  ASSERT_OK(cudaMallocHost(&block, 16 * kMiB));
  EXPECT_EQ(left, FreeBytes());
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  EXPECT_OK(cudaFreeHost(block));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(block));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(data_));
}

TEST_F(AccountingTest, MemoryIsFreedOnceAndAsAWhole) {
  void* block = nullptr;
  ASSERT_OK(cudaMalloc(&block, kMiB));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(static_cast<char*>(block) + 512));
  EXPECT_OK(cudaFree(block));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  ASSERT_OK(cudaMallocAsync(&block, kMiB, stream_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaFreeAsync(static_cast<char*>(block) + 512, stream_));
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(block, stream_));
  // The driver's free takes memory of a pool as well.
  ASSERT_OK(cudaMallocAsync(&block, kMiB, stream_));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree(reinterpret_cast<CUdeviceptr>(block)));
}

TEST_F(AccountingTest, HostFlagsAreChecked) {
  void* block = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaHostAlloc(&block, 4096, 0x40));
  ASSERT_OK(
      cudaHostAlloc(&block, 4096, cudaHostAllocMapped | cudaHostAllocPortable));
  unsigned flags = 0;
  ASSERT_OK(cudaHostGetFlags(&flags, block));
  EXPECT_EQ(unsigned{cudaHostAllocMapped | cudaHostAllocPortable}, flags);
  void* on_device = nullptr;
  ASSERT_OK(cudaHostGetDevicePointer(&on_device, block, 0));
  EXPECT_EQ(block, on_device);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaHostGetDevicePointer(&on_device, block, 1));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaHostGetDevicePointer(&on_device, &flags, 0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaHostGetFlags(&flags, data_));
  EXPECT_OK(cudaFreeHost(block));
}

TEST_F(AccountingTest, RegistrationsDoNotOverlap) {
  std::vector<char> host(16 * 4096);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaHostRegister(host.data(), host.size(), 0x80));
  ASSERT_OK(
      cudaHostRegister(host.data() + 4096, 4096,
                       cudaHostRegisterPortable | cudaHostRegisterReadOnly));
  EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered,
            cudaHostRegister(host.data(), 2 * 4096, 0));
  EXPECT_OK(cudaHostRegister(host.data() + 2 * 4096, 4096, 0));
  EXPECT_EQ(cudaErrorHostMemoryNotRegistered,
            cudaHostUnregister(host.data() + 4096 + 8));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(host.data() + 4096));
  EXPECT_OK(cudaHostUnregister(host.data() + 4096));
  EXPECT_OK(cudaHostUnregister(host.data() + 2 * 4096));
}

TEST_F(AccountingTest, OnlyMappedMemoryIsRegistered) {
  void* pages = mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(static_cast<char*>(pages) + 4096, 4096);
  EXPECT_EQ(cudaErrorInvalidValue, cudaHostRegister(pages, 2 * 4096, 0));
  EXPECT_OK(cudaHostRegister(pages, 4096, 0));
  EXPECT_OK(cudaHostUnregister(pages));
  munmap(pages, 4096);
}

}  // namespace
