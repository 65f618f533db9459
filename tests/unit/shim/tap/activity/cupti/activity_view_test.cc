// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/activity_view.h"

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace dltap::shim::cupti {
namespace {

// A record as a CUPTI of `version` leaves it in a buffer: what lies behind it
// belongs to the next one.
template <typename Record>
std::vector<uint8_t> Buffer(const Record& record, uint16_t size) {
  std::vector<uint8_t> bytes(size + 64, 0xEE);
  memcpy(bytes.data(), &record, size);
  return bytes;
}

CUpti_ActivityKernel10 FullKernel() {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = 100;
  kernel.end = 250;
  kernel.deviceId = 3;
  kernel.contextId = 4;
  kernel.streamId = 5;
  kernel.gridX = 6;
  kernel.gridZ = 7;
  kernel.blockY = 8;
  kernel.staticSharedMemory = 9;
  kernel.dynamicSharedMemory = 10;
  kernel.localMemoryPerThread = 11;
  kernel.registersPerThread = 12;
  kernel.correlationId = 13;
  kernel.name = "kernel";
  kernel.graphNodeId = 14;
  kernel.graphId = 15;
  kernel.clusterX = 16;
  kernel.clusterZ = 17;
  return kernel;
}

class ActivityVersionTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(ActivityVersionTest, KernelReadsWhatItsVersionHas) {
  const ActivitySizes sizes = SizesOf(GetParam());
  const auto bytes = Buffer(FullKernel(), sizes.kernel);
  const KernelView view = ReadKernel(bytes.data(), sizes);
  EXPECT_EQ(view.start_ns, 100u);
  EXPECT_EQ(view.end_ns, 250u);
  EXPECT_EQ(view.device, 3u);
  EXPECT_EQ(view.context, 4u);
  EXPECT_EQ(view.stream, 5u);
  EXPECT_EQ(view.grid[0], 6u);
  EXPECT_EQ(view.grid[2], 7u);
  EXPECT_EQ(view.block[1], 8u);
  EXPECT_EQ(view.static_shared, 9u);
  EXPECT_EQ(view.dynamic_shared, 10u);
  EXPECT_EQ(view.local_per_thread, 11u);
  EXPECT_EQ(view.registers, 12u);
  EXPECT_EQ(view.correlation, 13u);
  EXPECT_STREQ(view.name, "kernel");
  EXPECT_EQ(view.graph_node, 14u);  // in every supported version
  EXPECT_EQ(view.graph, sizes.kernel >= 168   ? 15u
                        : sizes.kernel >= 160 ? 15u
                                              : 0u);
  EXPECT_EQ(view.cluster[0], sizes.kernel >= 200 ? 16u : 0u);
  EXPECT_EQ(view.cluster[2], sizes.kernel >= 200 ? 17u : 0u);
}

TEST_P(ActivityVersionTest, CopyReadsWhatItsVersionHas) {
  const ActivitySizes sizes = SizesOf(GetParam());
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.bytes = 4096;
  copy.start = 1;
  copy.end = 2;
  copy.correlationId = 3;
  copy.graphNodeId = 4;
  copy.graphId = 5;
  const CopyView view = ReadCopy(Buffer(copy, sizes.memcpy).data(), sizes);
  EXPECT_EQ(view.copy_kind, 2);
  EXPECT_EQ(view.source, 3);
  EXPECT_EQ(view.target, 2);
  EXPECT_TRUE(view.is_async);
  EXPECT_EQ(view.bytes, 4096u);
  EXPECT_EQ(view.correlation, 3u);
  EXPECT_EQ(view.graph_node, sizes.memcpy >= 72 ? 4u : 0u);
  EXPECT_EQ(view.graph, sizes.memcpy >= 80 ? 5u : 0u);
}

TEST_P(ActivityVersionTest, MemsetReadsWhatItsVersionHas) {
  const ActivitySizes sizes = SizesOf(GetParam());
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.value = 7;
  set.bytes = 512;
  set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  set.correlationId = 3;
  set.graphNodeId = 4;
  const MemsetView view = ReadMemset(Buffer(set, sizes.memset).data(), sizes);
  EXPECT_EQ(view.value, 7u);
  EXPECT_EQ(view.bytes, 512u);
  EXPECT_EQ(view.memory_kind, 3);
  EXPECT_FALSE(view.is_async);
  EXPECT_EQ(view.graph_node, sizes.memset >= 72 ? 4u : 0u);
}

TEST_P(ActivityVersionTest, PeerCopyNamesBothDevices) {
  const ActivitySizes sizes = SizesOf(GetParam());
  CUpti_ActivityMemcpyPtoP4 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  copy.srcDeviceId = 1;
  copy.dstDeviceId = 2;
  copy.correlationId = 3;
  const CopyView view =
      ReadPeerCopy(Buffer(copy, sizes.peer_copy).data(), sizes);
  EXPECT_EQ(view.source_device, 1u);
  EXPECT_EQ(view.target_device, 2u);
  EXPECT_EQ(view.correlation, 3u);
}

// CUDA 11.0 ... 13.0U1, and one that does not exist yet.
INSTANTIATE_TEST_SUITE_P(Cupti, ActivityVersionTest,
                         ::testing::Values(13, 14, 15, 16, 17, 18, 19, 20, 21,
                                           22, 23, 24, 26, 27, 28, 130000,
                                           130001, 140000));

// The real parser steps over records made by hand; it needs no driver.
TEST(ActivityRecordTest, VendorsParserAgreesOnSizes) {
  void* library = dlopen(DLTAP_CUPTI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no libcupti at hand";
  const auto version_of = reinterpret_cast<decltype(&::cuptiGetVersion)>(
      dlsym(library, "cuptiGetVersion"));
  const auto next = reinterpret_cast<decltype(&::cuptiActivityGetNextRecord)>(
      dlsym(library, "cuptiActivityGetNextRecord"));
  uint32_t version = 0;
  ASSERT_EQ(version_of(&version), CUPTI_SUCCESS);
  const ActivitySizes sizes = SizesOf(version);
  alignas(8) uint8_t buffer[4096] = {};
  size_t used = 0;
  const uint32_t expected[][2] = {
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizes.kernel},
      {CUPTI_ACTIVITY_KIND_MEMCPY, sizes.memcpy},
      {CUPTI_ACTIVITY_KIND_MEMCPY2, sizes.peer_copy},
      {CUPTI_ACTIVITY_KIND_MEMSET, sizes.memset},
      {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI)},
      {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
       sizeof(CUpti_ActivityExternalCorrelation)}};
  for (const auto& [kind, size] : expected) {
    memcpy(buffer + used, &kind, sizeof(kind));
    used += size;
  }
  CUpti_Activity* record = nullptr;
  for (const auto& [kind, size] : expected) {
    ASSERT_EQ(next(buffer, used, &record), CUPTI_SUCCESS) << "kind " << kind;
    EXPECT_EQ(record->kind, static_cast<CUpti_ActivityKind>(kind));
  }
  EXPECT_EQ(next(buffer, used, &record), CUPTI_ERROR_MAX_LIMIT_REACHED);
}

}  // namespace
}  // namespace dltap::shim::cupti
