// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

using MemoryTest = RuntimeTest;

size_t FreeBytes() {
  size_t free = 0;
  size_t total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  return free;
}

TEST_F(MemoryTest, AllocationTakesItsBytesUntilItIsFreed) {
  const size_t before = FreeBytes();
  void* block = nullptr;
  ASSERT_OK(cudaMalloc(&block, 64 << 20));
  EXPECT_EQ(before - (64 << 20), FreeBytes());
  ASSERT_OK(cudaFree(block));
  EXPECT_EQ(before, FreeBytes());
}

TEST_F(MemoryTest, TheDeviceIsFullAtItsSize) {
  void* block = nullptr;
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&block, FreeBytes() + 1));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT_OK(cudaGetLastError());
  // All of it, without using as much of the host's.
  ASSERT_OK(cudaMalloc(&block, FreeBytes()));
  EXPECT_OK(cudaFree(block));
}

TEST_F(MemoryTest, ZeroBytesAreANullPointer) {
  void* block = &block;
  EXPECT_OK(cudaMalloc(&block, 0));
  EXPECT_EQ(nullptr, block);
}

TEST_F(MemoryTest, ForeignPointerIsNotFreed) {
  int local = 0;
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&local));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(data_ + 1));
}

TEST_F(MemoryTest, CopiesReallyCopy) {
  std::vector<int> source(1000);
  std::iota(source.begin(), source.end(), 7);
  const size_t bytes = source.size() * sizeof(int);
  void* other = nullptr;
  ASSERT_OK(cudaMalloc(&other, bytes));
  ASSERT_OK(cudaMemcpy(data_, source.data(), bytes, cudaMemcpyDefault));
  ASSERT_OK(cudaMemcpy(other, data_, bytes, cudaMemcpyDeviceToDevice));
  std::vector<int> result(source.size());
  ASSERT_OK(cudaMemcpy(result.data(), other, bytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(source, result);
  EXPECT_OK(cudaFree(other));
}

TEST_F(MemoryTest, RowsAreCopiedWithTheirPitches) {
  const char source[] = "abcdefghi";  // three rows of three
  ASSERT_OK(cudaMemset(data_, '.', 32));
  ASSERT_OK(cudaMemcpy2D(data_, 8, source, 3, 2, 3, cudaMemcpyHostToDevice));
  std::string result(32, ' ');
  ASSERT_OK(cudaMemcpy(result.data(), data_, 32, cudaMemcpyDeviceToHost));
  EXPECT_EQ("ab......de......gh..............", result);
}

TEST_F(MemoryTest, CopyBeyondTheAllocationIsRefused) {
  std::vector<char> host(kBytes + 1);
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(data_, host.data(), host.size(),
                                              cudaMemcpyHostToDevice));
}

TEST_F(MemoryTest, KindThatContradictsThePointersIsRefused) {
  char a[4] = {};
  char b[4] = {};
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a, b, 4, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpy(a, b, 4, static_cast<cudaMemcpyKind>(77)));
}

// Addresses are unified, and programs rely on it.
TEST_F(MemoryTest, WhatIsSaidToBeTheHostsMayBeADevices) {
  void* other = nullptr;
  ASSERT_OK(cudaMalloc(&other, 16));
  ASSERT_OK(cudaMemcpy(data_, "abcdefgh", 8, cudaMemcpyHostToDevice));
  ASSERT_OK(cudaMemcpy(other, data_, 8, cudaMemcpyDeviceToHost));
  std::string result(8, ' ');
  ASSERT_OK(cudaMemcpy(result.data(), other, 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ("abcdefgh", result);
  ASSERT_OK(cudaMemcpy(other, data_, 8, cudaMemcpyHostToDevice));
  cudaFree(other);
}

// The zero rule: a kernel computes nothing, so a scalar read after one sees
// zero, never the bytes of whatever lay there before.
TEST_F(MemoryTest, ScalarReadAfterAKernelIsZero) {
  const int stale = 0x12345678;
  ASSERT_OK(cudaMemcpy(data_, &stale, sizeof(stale), cudaMemcpyHostToDevice));
  LaunchScale(data_, 1, nullptr);
  int result = -1;
  ASSERT_OK(cudaMemcpy(&result, data_, sizeof(result), cudaMemcpyDeviceToHost));
  EXPECT_EQ(0, result);
}

TEST_F(MemoryTest, ScalarReadAfterACopyIsTheCopy) {
  LaunchScale(data_, 1, nullptr);
  const int written = 17;
  ASSERT_OK(
      cudaMemcpy(data_, &written, sizeof(written), cudaMemcpyHostToDevice));
  int result = -1;
  ASSERT_OK(cudaMemcpy(&result, data_, sizeof(result), cudaMemcpyDeviceToHost));
  EXPECT_EQ(17, result);
}

TEST_F(MemoryTest, LargeMemsetToZeroIsSeen) {
  ASSERT_OK(cudaMemset(data_, 0x5a, kBytes));
  ASSERT_OK(cudaMemset(data_, 0, kBytes));
  std::vector<char> result(kBytes, 1);
  ASSERT_OK(cudaMemcpy(result.data(), data_, kBytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::vector<char>(kBytes, 0), result);
}

TEST_F(MemoryTest, LargeMemsetLeavesTheNeighboursAlone) {
  ASSERT_OK(cudaMemset(data_, 0x5a, kBytes));
  char* inside = reinterpret_cast<char*>(data_) + 100;
  ASSERT_OK(cudaMemset(inside, 0, kBytes - 200));
  std::vector<char> result(kBytes);
  ASSERT_OK(cudaMemcpy(result.data(), data_, kBytes, cudaMemcpyDeviceToHost));
  EXPECT_EQ(0x5a, result[99]);
  EXPECT_EQ(0, result[100]);
  EXPECT_EQ(0, result[kBytes - 101]);
  EXPECT_EQ(0x5a, result[kBytes - 100]);
}

size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

// A large model fits into little memory because most of it is never written.
TEST_F(MemoryTest, UntouchedMemoryStaysUncommitted) {
  constexpr size_t kLarge = size_t{1} << 30;
  void* from = nullptr;
  void* to = nullptr;
  ASSERT_OK(cudaMalloc(&from, kLarge));
  ASSERT_OK(cudaMalloc(&to, kLarge));
  const int value = 17;
  char* inside = static_cast<char*>(from) + kLarge / 2;
  ASSERT_OK(cudaMemcpy(inside, &value, 4, cudaMemcpyHostToDevice));
  const size_t before = ResidentBytes();
  ASSERT_OK(cudaMemcpy(to, from, kLarge, cudaMemcpyDeviceToDevice));
  ASSERT_OK(cudaMemset(to, 0, kLarge / 4));
  EXPECT_LT(ResidentBytes(), before + (16 << 20));
  int result[8] = {};
  ASSERT_OK(cudaMemcpy(result, static_cast<char*>(to) + kLarge / 2,
                       sizeof(result), cudaMemcpyDeviceToHost));
  EXPECT_EQ(17, result[0]);
  EXPECT_EQ(0, result[1]);
  // What the destination held goes, where the source has nothing.
  ASSERT_OK(cudaMemset(to, 0x5a, 1 << 20));
  ASSERT_OK(cudaMemcpy(to, from, 1 << 20, cudaMemcpyDeviceToDevice));
  ASSERT_OK(cudaMemcpy(result, to, sizeof(result), cudaMemcpyDeviceToHost));
  EXPECT_EQ(0, result[0]);
  EXPECT_OK(cudaFree(from));
  EXPECT_OK(cudaFree(to));
}

TEST_F(MemoryTest, PointerAttributesTellTheKind) {
  cudaPointerAttributes attributes;
  ASSERT_OK(cudaPointerGetAttributes(&attributes, data_ + 1));
  EXPECT_EQ(cudaMemoryTypeDevice, attributes.type);
  EXPECT_EQ(nullptr, attributes.hostPointer);
  void* pinned = nullptr;
  ASSERT_OK(cudaMallocHost(&pinned, 100));
  ASSERT_OK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(cudaMemoryTypeHost, attributes.type);
  ASSERT_OK(cudaFreeHost(pinned));
  ASSERT_OK(cudaPointerGetAttributes(&attributes, &attributes));
  EXPECT_EQ(cudaMemoryTypeUnregistered, attributes.type);
}

TEST_F(MemoryTest, HostMemoryIsRegisteredOnce) {
  std::vector<char> host(4096);
  EXPECT_OK(cudaHostRegister(host.data(), host.size(), 0));
  EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered,
            cudaHostRegister(host.data(), host.size(), 0));
  EXPECT_OK(cudaHostUnregister(host.data()));
  EXPECT_EQ(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host.data()));
}

TEST_F(MemoryTest, PageableUploadBlocksPinnedDoesNot) {
  constexpr size_t kLarge = 64 << 20;
  void* device = nullptr;
  void* pinned = nullptr;
  ASSERT_OK(cudaMalloc(&device, kLarge));
  ASSERT_OK(cudaMallocHost(&pinned, kLarge));
  std::vector<char> pageable(kLarge);
  ASSERT_OK(cudaMemcpyAsync(device, pageable.data(), kLarge,
                            cudaMemcpyHostToDevice, stream_));
  EXPECT_OK(cudaStreamQuery(stream_));
  ASSERT_OK(
      cudaMemcpyAsync(device, pinned, kLarge, cudaMemcpyHostToDevice, stream_));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  EXPECT_OK(cudaFreeHost(pinned));
  EXPECT_OK(cudaFree(device));
}

TEST_F(MemoryTest, DeviceVariablesAreMemory) {
  const int value = 5;
  size_t bytes = 0;
  ASSERT_OK(cudaGetSymbolSize(&bytes, CounterSymbol()));
  EXPECT_EQ(sizeof(int), bytes);
  ASSERT_OK(cudaMemcpyToSymbol(CounterSymbol(), &value, sizeof(value), 0,
                               cudaMemcpyHostToDevice));
  int result = 0;
  ASSERT_OK(cudaMemcpyFromSymbol(&result, CounterSymbol(), sizeof(result), 0,
                                 cudaMemcpyDeviceToHost));
  EXPECT_EQ(5, result);
  EXPECT_EQ(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, &value));
}

TEST_F(MemoryTest, ManagedVariableIsSharedWithTheHost) {
  *ManagedValue() = 3;
  EXPECT_EQ(3, *ManagedValue());
}

TEST_F(MemoryTest, PoolKeepsFreedBlocksUpToItsThreshold) {
  cudaMemPool_t pool = nullptr;
  ASSERT_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t keep = 1 << 20;
  ASSERT_OK(
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  void* block = nullptr;
  ASSERT_OK(cudaMallocAsync(&block, 1 << 20, stream_));
  ASSERT_OK(cudaFreeAsync(block, stream_));
  ASSERT_OK(cudaDeviceSynchronize());
  uint64_t reserved = 0;
  uint64_t used = 1;
  ASSERT_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
                                    &reserved));
  ASSERT_OK(
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT_EQ(uint64_t{1 << 20}, reserved);
  EXPECT_EQ(0u, used);
  ASSERT_OK(cudaMemPoolTrimTo(pool, 0));
  ASSERT_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
                                    &reserved));
  EXPECT_EQ(0u, reserved);
  keep = 0;
  ASSERT_OK(
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
}

// A process may have 65530 mappings: allocations are no mappings.
TEST_F(MemoryTest, AllocationsMayBeMany) {
  constexpr size_t kCount = 200'000;
  std::vector<void*> blocks(kCount);
  for (void*& block : blocks) ASSERT_OK(cudaMalloc(&block, 256));
  const unsigned char marks[] = {1, 2};
  void* const some[] = {blocks.front(), blocks.back()};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(0u, reinterpret_cast<uintptr_t>(some[i]) % 256);
    ASSERT_OK(cudaMemcpy(some[i], &marks[i], 1, cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < 2; ++i) {
    unsigned char back = 0;
    ASSERT_OK(cudaMemcpy(&back, some[i], 1, cudaMemcpyDeviceToHost));
    EXPECT_EQ(marks[i], back);
  }
  for (void* block : blocks) ASSERT_OK(cudaFree(block));
}

TEST_F(MemoryTest, FreedSmallBlocksAreNobodysAndComeBackAsZeroes) {
  constexpr size_t kSmall = 64 << 10;
  void* block = nullptr;
  ASSERT_OK(cudaMalloc(&block, kSmall));
  ASSERT_OK(cudaMemset(block, 5, kSmall));
  ASSERT_OK(cudaFree(block));
  std::vector<char> host(kSmall, 3);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(host.data(), block, kSmall, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidValue, cudaHostRegister(block, kSmall, 0));
  void* again = nullptr;
  ASSERT_OK(cudaMalloc(&again, kSmall));
  EXPECT_EQ(block, again);
  ASSERT_OK(cudaMemcpy(host.data(), again, kSmall, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::vector<char>(kSmall, 0), host);
  EXPECT_OK(cudaFree(again));
}

}  // namespace
