// SPDX-License-Identifier: Apache-2.0
// The stream-ordered allocator: when freed memory is used again, and by whom.
#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr size_t kBlock = 4 << 20;

class PoolTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    pool_ = MakePool(0);
    ASSERT_OK(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    if (pool_ != nullptr) {
      EXPECT_OK(cudaMemPoolDestroy(pool_));
    }
    EXPECT_OK(cudaStreamDestroy(other_));
    RuntimeTest::TearDown();
  }

  cudaMemPool_t MakePool(size_t max_bytes) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, {0}};
    properties.maxSize = max_bytes;
    cudaMemPool_t pool = nullptr;
    EXPECT_OK(cudaMemPoolCreate(&pool, &properties));
    return pool;
  }

  void* Allocate(cudaStream_t stream) {
    void* block = nullptr;
    EXPECT_OK(cudaMallocFromPoolAsync(&block, kBlock, pool_, stream));
    return block;
  }

  void Disable(cudaMemPoolAttr attribute) {
    int no = 0;
    ASSERT_OK(cudaMemPoolSetAttribute(pool_, attribute, &no));
  }

  uint64_t Attribute(cudaMemPoolAttr attribute) {
    uint64_t value = 0;
    EXPECT_OK(cudaMemPoolGetAttribute(pool_, attribute, &value));
    return value;
  }

  // Frees a block behind work that is not over, and allocates elsewhere.
  void* FreedThenAllocated(void** freed) {
    *freed = Allocate(stream_);
    EXPECT_OK(cudaMemsetAsync(*freed, 0, kBlock, stream_));
    EXPECT_OK(cudaFreeAsync(*freed, stream_));
    return Allocate(other_);
  }

  cudaMemPool_t pool_ = nullptr;
  cudaStream_t other_ = nullptr;
};

TEST_F(PoolTest, TheSameStreamUsesTheBlockAgain) {
  void* first = Allocate(stream_);
  ASSERT_OK(cudaMemsetAsync(first, 0, kBlock, stream_));
  ASSERT_OK(cudaFreeAsync(first, stream_));
  EXPECT_EQ(first, Allocate(stream_));
  EXPECT_OK(cudaFreeAsync(first, stream_));
}

TEST_F(PoolTest, AnotherStreamWaitsForTheBlock) {
  void* freed = nullptr;
  void* block = FreedThenAllocated(&freed);
  EXPECT_EQ(freed, block);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(other_));
  EXPECT_OK(cudaStreamSynchronize(stream_));
  EXPECT_OK(cudaStreamQuery(other_));
  EXPECT_OK(cudaFreeAsync(block, other_));
}

TEST_F(PoolTest, WithoutInternalDependenciesItGetsItsOwn) {
  Disable(cudaMemPoolReuseAllowInternalDependencies);
  void* freed = nullptr;
  void* block = FreedThenAllocated(&freed);
  EXPECT_NE(freed, block);
  EXPECT_OK(cudaStreamQuery(other_));
  // Once the free is over, anybody may have the block.
  ASSERT_OK(cudaStreamSynchronize(other_));
  uint64_t keep = 1 << 30;
  ASSERT_OK(
      cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep));
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(freed, Allocate(other_));
  EXPECT_OK(cudaFreeAsync(freed, other_));
  EXPECT_OK(cudaFreeAsync(block, other_));
}

TEST_F(PoolTest, AStreamThatWaitedMayHaveTheBlock) {
  Disable(cudaMemPoolReuseAllowInternalDependencies);
  Disable(cudaMemPoolReuseAllowOpportunistic);
  void* freed = Allocate(stream_);
  ASSERT_OK(cudaMemsetAsync(freed, 0, kBlock, stream_));
  ASSERT_OK(cudaFreeAsync(freed, stream_));
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  ASSERT_OK(cudaEventRecord(event, stream_));
  ASSERT_OK(cudaStreamWaitEvent(other_, event, 0));
  EXPECT_EQ(freed, Allocate(other_));
  EXPECT_OK(cudaFreeAsync(freed, other_));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST_F(PoolTest, HighMarksAreResetToTheCurrentValue) {
  void* a = Allocate(stream_);
  void* b = Allocate(stream_);
  ASSERT_OK(cudaFreeAsync(b, stream_));
  EXPECT_EQ(kBlock, Attribute(cudaMemPoolAttrUsedMemCurrent));
  EXPECT_EQ(2 * kBlock, Attribute(cudaMemPoolAttrUsedMemHigh));
  EXPECT_EQ(2 * kBlock, Attribute(cudaMemPoolAttrReservedMemCurrent));
  uint64_t value = 1;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &value));
  value = 0;
  ASSERT_OK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &value));
  EXPECT_EQ(kBlock, Attribute(cudaMemPoolAttrUsedMemHigh));
  // A synchronisation gives back what is above the threshold.
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(kBlock, Attribute(cudaMemPoolAttrReservedMemCurrent));
  EXPECT_OK(cudaFreeAsync(a, stream_));
}

TEST_F(PoolTest, PoolsHaveTheirOwnLimit) {
  cudaMemPool_t small = MakePool(kBlock);
  void* block = nullptr;
  void* another = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&block, kBlock, small, stream_));
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaMallocFromPoolAsync(&another, 4096, small, stream_));
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_OK(cudaMemPoolDestroy(small));
}

TEST_F(PoolTest, ADestroyedPoolLivesAsLongAsItsMemory) {
  void* block = Allocate(stream_);
  cudaMemPool_t pool = pool_;
  ASSERT_OK(cudaMemPoolDestroy(pool));
  pool_ = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
  EXPECT_OK(cudaMemset(block, 1, kBlock));
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(block, stream_));
}

TEST_F(PoolTest, OtherDevicesAreLetInOneByOne) {
  cudaMemLocation second{cudaMemLocationTypeDevice, {1}};
  cudaMemLocation first{cudaMemLocationTypeDevice, {0}};
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtRead;
  ASSERT_OK(cudaMemPoolGetAccess(&flags, pool_, &second));
  EXPECT_EQ(cudaMemAccessFlagsProtNone, flags);
  cudaMemAccessDesc access{second, cudaMemAccessFlagsProtReadWrite};
  ASSERT_OK(cudaMemPoolSetAccess(pool_, &access, 1));
  ASSERT_OK(cudaMemPoolGetAccess(&flags, pool_, &second));
  EXPECT_EQ(cudaMemAccessFlagsProtReadWrite, flags);
  // Its own device cannot be shut out.
  access = {first, cudaMemAccessFlagsProtNone};
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool_, &access, 1));
  ASSERT_OK(cudaMemPoolGetAccess(&flags, pool_, &first));
  EXPECT_EQ(cudaMemAccessFlagsProtReadWrite, flags);
  access = {{cudaMemLocationTypeDevice, {9}}, cudaMemAccessFlagsProtRead};
  EXPECT_EQ(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool_, &access, 1));
}

TEST_F(PoolTest, HostAndManagedMemoryHavePools) {
  cudaMemLocation host{cudaMemLocationTypeHost, {0}};
  cudaMemPool_t pool = nullptr;
  ASSERT_OK(
      cudaMemGetDefaultMemPool(&pool, &host, cudaMemAllocationTypePinned));
  void* block = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&block, 4096, pool, stream_));
  cudaPointerAttributes attributes;
  ASSERT_OK(cudaPointerGetAttributes(&attributes, block));
  EXPECT_EQ(cudaMemoryTypeHost, attributes.type);
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, pool_));
  cudaMemLocation nowhere{cudaMemLocationTypeNone, {0}};
  ASSERT_OK(cudaMemGetMemPool(&pool, &nowhere, cudaMemAllocationTypeManaged));
  ASSERT_OK(cudaMallocFromPoolAsync(&block, 4096, pool, stream_));
  ASSERT_OK(cudaPointerGetAttributes(&attributes, block));
  EXPECT_EQ(cudaMemoryTypeManaged, attributes.type);
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemGetMemPool(&pool, &nowhere, cudaMemAllocationTypePinned));
}

}  // namespace
