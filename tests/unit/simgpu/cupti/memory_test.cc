// SPDX-License-Identifier: Apache-2.0
// Records of memory and of memory pools.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiMemoryTest : public RecordsTest {
 protected:
  void TearDown() override {
    cuptiActivityEnableAllocationSource(0);
    RecordsTest::TearDown();
  }
  static std::vector<CUpti_ActivityMemory4> Operations() {
    return Delivered<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  }
  static std::vector<CUpti_ActivityMemoryPool3> Pools() {
    return Delivered<CUpti_ActivityMemoryPool3>(
        CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  }
};

cudaMemPool_t NewPool() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  return pool;
}

TEST_F(CuptiMemoryTest, StreamOrderedMemoryTellsItsStreamAndPool) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY2);
  cudaMemPool_t pool = NewPool();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  uint32_t stream_id = 0;
  cuptiGetStreamId(nullptr, stream, &stream_id);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 8192, pool, stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  Flush();
  const auto operations = Operations();
  ASSERT_EQ(operations.size(), 2);
  for (const auto& operation : operations) {
    EXPECT_EQ(operation.address, reinterpret_cast<uint64_t>(memory));
    EXPECT_EQ(operation.streamId, stream_id);
    EXPECT_EQ(operation.isAsync, 1);
    EXPECT_EQ(operation.memoryPoolConfig.memoryPoolType,
              CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL);
    EXPECT_EQ(operation.memoryPoolConfig.address,
              reinterpret_cast<uint64_t>(pool));
    EXPECT_GE(operation.memoryPoolConfig.pool.size, 8192);
  }
  EXPECT_EQ(operations[0].memoryPoolConfig.utilizedSize, 8192);
  cudaMemPoolDestroy(pool);
}

TEST_F(CuptiMemoryTest, OrdinaryMemoryHasNeitherStreamNorPool) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY2);
  void* memory = nullptr;
  cudaMalloc(&memory, 100);
  cudaFree(memory);
  Flush();
  const auto operations = Operations();
  ASSERT_EQ(operations.size(), 2);
  EXPECT_EQ(operations[0].isAsync, 0);
  EXPECT_EQ(operations[0].memoryPoolConfig.memoryPoolType,
            CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID);
}

TEST_F(CuptiMemoryTest, TheCallerIsNamedWhenAskedFor) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY2);
  void* memory = nullptr;
  cudaMalloc(&memory, 100);
  cuptiActivityEnableAllocationSource(1);
  cudaFree(memory);
  Flush();
  const auto operations = Operations();
  ASSERT_EQ(operations.size(), 2);
  EXPECT_EQ(operations[0].source, nullptr);
  ASSERT_NE(operations[1].source, nullptr);
  Dl_info self{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&NewPool), &self), 0);
  EXPECT_STREQ(operations[1].source, self.dli_fname);
  Dl_info caller{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(operations[0].PC), &caller), 0);
  EXPECT_STREQ(caller.dli_fname, self.dli_fname);
}

TEST_F(CuptiMemoryTest, PoolsAreRecordedFromCreationToDestruction) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  cudaMemPool_t pool = NewPool();
  uint64_t threshold = 1 << 20;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 8192, pool, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPoolTrimTo(pool, 4096), cudaSuccess);
  cudaFreeAsync(memory, nullptr);
  cudaMemPoolDestroy(pool);
  Flush();
  const auto records = Pools();
  ASSERT_EQ(records.size(), 3);
  EXPECT_EQ(records[0].memoryPoolOperationType,
            CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED);
  EXPECT_EQ(records[0].size, 0);
  EXPECT_EQ(records[1].memoryPoolOperationType,
            CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED);
  EXPECT_EQ(records[1].minBytesToKeep, 4096);
  EXPECT_EQ(records[1].utilizedSize, 8192);
  EXPECT_EQ(records[1].releaseThreshold, threshold);
  EXPECT_EQ(records[2].memoryPoolOperationType,
            CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED);
  for (const auto& record : records) {
    EXPECT_EQ(record.address, reinterpret_cast<uint64_t>(pool));
    EXPECT_EQ(record.memoryPoolType, CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL);
    EXPECT_NE(record.timestamp, 0);
    EXPECT_NE(record.correlationId, 0);
  }
}

TEST_F(CuptiMemoryTest, TheOldKindHasOneRecordForALifetime) {
  Enable(CUPTI_ACTIVITY_KIND_MEMORY);
  void* memory = nullptr;
  cudaMalloc(&memory, 300);
  Flush();
  EXPECT_TRUE(
      Delivered<CUpti_ActivityMemory>(CUPTI_ACTIVITY_KIND_MEMORY).empty());
  cudaFree(memory);
  Flush();
  const auto lifetimes =
      Delivered<CUpti_ActivityMemory>(CUPTI_ACTIVITY_KIND_MEMORY);
  ASSERT_EQ(lifetimes.size(), 1);
  EXPECT_EQ(lifetimes[0].bytes, 300);
  EXPECT_LT(lifetimes[0].start, lifetimes[0].end);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
