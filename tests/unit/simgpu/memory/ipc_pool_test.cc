// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/unit/simgpu/child_process.h"
#include "tests/unit/simgpu/support.h"

namespace {

using IpcPoolTest = RuntimeTest;
class DISABLED_IpcPoolChild : public testing::Test {
 protected:
  Line parent_ = ToParent();
};

cudaMemPool_t MakePool(cudaMemAllocationHandleType handles) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = handles;
  properties.location = {cudaMemLocationTypeDevice, {0}};
  cudaMemPool_t pool = nullptr;
  EXPECT_OK(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

void* Number(int descriptor) {
  return reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
}

TEST_F(DISABLED_IpcPoolChild, ReadsThePool) {
  const int descriptor = parent_.ReceiveDescriptor();
  auto data = parent_.Receive<cudaMemPoolPtrExportData>();
  cudaMemPool_t pool = nullptr;
  ASSERT_OK(cudaMemPoolImportFromShareableHandle(
      &pool, Number(descriptor), cudaMemHandleTypePosixFileDescriptor, 0));
  close(descriptor);
  void* block = nullptr;
  ASSERT_OK(cudaMemPoolImportPointer(&block, pool, &data));
  char text[12] = {};
  ASSERT_OK(cudaMemcpy(text, block, 12, cudaMemcpyDeviceToHost));
  EXPECT_STREQ("from parent", text);
  ASSERT_OK(cudaMemcpy(block, "from child.", 12, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaFreeAsync(block, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(block));
  // An imported pool gives no memory and becomes no device's pool.
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMallocFromPoolAsync(&block, 4096, pool, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, pool));
  EXPECT_OK(cudaMemPoolDestroy(pool));
}

TEST_F(IpcPoolTest, PoolIsSharedByDescriptor) {
  cudaMemPool_t pool = MakePool(cudaMemHandleTypePosixFileDescriptor);
  void* block = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&block, 4096, pool, stream_));
  ASSERT_OK(cudaMemcpy(block, "from parent", 12, cudaMemcpyHostToDevice));
  int descriptor = -1;
  ASSERT_OK(cudaMemPoolExportToShareableHandle(
      &descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemPoolPtrExportData data;
  ASSERT_OK(cudaMemPoolExportPointer(&data, block));
  Child child("DISABLED_IpcPoolChild.ReadsThePool");
  child.line.SendDescriptor(descriptor);
  child.line.Send(data);
  child.Wait();
  char text[12] = {};
  ASSERT_OK(cudaMemcpy(text, block, 12, cudaMemcpyDeviceToHost));
  EXPECT_STREQ("from child.", text);
  EXPECT_OK(cudaFreeAsync(block, stream_));
  EXPECT_OK(cudaMemPoolDestroy(pool));
  close(descriptor);
}

TEST_F(IpcPoolTest, PoolNotMadeForItIsNotExported) {
  cudaMemPool_t pool = MakePool(cudaMemHandleTypeNone);
  void* block = nullptr;
  ASSERT_OK(cudaMallocFromPoolAsync(&block, 4096, pool, stream_));
  int descriptor = -1;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPoolExportToShareableHandle(
                &descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemPoolPtrExportData data{};
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, block));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, data_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPoolImportPointer(&block, pool, &data));
  EXPECT_OK(cudaMemPoolDestroy(pool));
}

TEST_F(IpcPoolTest, OtherDescriptorsAreNoPools) {
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPoolImportFromShareableHandle(
                &pool, Number(0), cudaMemHandleTypePosixFileDescriptor, 0));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPoolImportFromShareableHandle(
                &pool, Number(-1), cudaMemHandleTypePosixFileDescriptor, 0));
}

}  // namespace
