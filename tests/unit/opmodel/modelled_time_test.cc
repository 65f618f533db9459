// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/modelled_time.h"

#include <gtest/gtest.h>

#include "shim/opmodel/alternatives.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

TEST(TimeOfTest, EveryKindOnEveryGpuIsFiniteAndPositive) {
  const Operation ops[] = {
      MakeGemm(512, 512, 512),
      MakeConv(OpKind::kConvForward, {.batch = 4,
                                      .in_channels = 16,
                                      .out_channels = 16,
                                      .size = 28,
                                      .filter = 3,
                                      .padding = 1}),
      MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 4, 8, 32, 64),
      MakeOperation(OpKind::kPointwise,
                    {{Dim::kElementsIn, 4096}, {Dim::kElementsOut, 4096}}),
      MakeOperation(OpKind::kNormForward, {{Dim::kElementsIn, 4096},
                                           {Dim::kElementsOut, 4096},
                                           {Dim::kRows, 4}}),
  };
  for (const GpuSpec& gpu : AllGpus()) {
    for (Operation op : ops) {
      for (const DType type : {DType::kF32, DType::kTf32, DType::kF16,
                               DType::kBf16, DType::kF64, DType::kF8E4M3}) {
        op.math = op.storage = type;
        const std::optional<ModelledTime> time = TimeOf(op, gpu);
        ASSERT_TRUE(time.has_value()) << gpu.name;
        EXPECT_GT(time->ns, 1000) << gpu.name;
        EXPECT_LT(time->ns, 1e9) << gpu.name;
      }
    }
  }
}

TEST(TimeOfTest, UnknownShapeIsUnknown) {
  EXPECT_FALSE(TimeOf(Operation{}, *FindGpu("t4")).has_value());
  EXPECT_FALSE(
      TimeOf(MakeOperation(OpKind::kGemm, {}), *FindGpu("t4")).has_value());
}

TEST(TimeOfTest, IsTheFastestAlternative) {
  const Operation op = MakeGemm(1000, 1000, 1000);
  const std::vector<Alternative> all = AlternativesOf(op, *FindGpu("l4"));
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(TimeOf(op, *FindGpu("l4"))->ns, all.front().ns);
}

TEST(KernelLaunchTest, DefaultsToVectorisedElementwiseTraffic) {
  // 2^20 blocks x 128 threads x 32 bytes = 4 GiB at 3352 GB/s x 0.88.
  const KernelLaunch launch{.blocks = 1 << 20,
                            .threads_per_block = 128,
                            .registers_per_thread = 0,
                            .shared_bytes = 0,
                            .bytes_per_thread = 0};
  const ModelledTime time = TimeOf(launch, *FindGpu("h100-sxm"));
  EXPECT_NEAR(time.ns, 4294967296.0 / (3352 * 0.88) + 2000, 1);
  EXPECT_EQ(time.bound, Bound::kMemory);
}

TEST(KernelLaunchTest, OneBlockIsLatency) {
  const KernelLaunch launch{.blocks = 1,
                            .threads_per_block = 32,
                            .registers_per_thread = 0,
                            .shared_bytes = 0,
                            .bytes_per_thread = 4};
  EXPECT_EQ(TimeOf(launch, *FindGpu("t4")).bound, Bound::kLatency);
}

TEST(KernelLaunchTest, SharedMemoryLimitsResidencyAndAddsWaves) {
  KernelLaunch launch{.blocks = 10000,
                      .threads_per_block = 64,
                      .registers_per_thread = 32,
                      .shared_bytes = 0,
                      .bytes_per_thread = 1};
  const GpuSpec& gpu = *FindGpu("a100-80-sxm");
  const double free_ns = TimeOf(launch, gpu).ns;
  launch.shared_bytes = 100 * 1024;  // one block per SM
  EXPECT_GT(TimeOf(launch, gpu).ns, 5 * free_ns);
}

TEST(KernelLaunchTest, RegistersLimitResidency) {
  KernelLaunch launch{.blocks = 10000,
                      .threads_per_block = 256,
                      .registers_per_thread = 32,
                      .shared_bytes = 0,
                      .bytes_per_thread = 0.01};
  const GpuSpec& gpu = *FindGpu("a100-80-sxm");
  const double light_ns = TimeOf(launch, gpu).ns;
  launch.registers_per_thread = 255;  // one block of 256 per SM
  EXPECT_GT(TimeOf(launch, gpu).ns, light_ns);
}

TEST(CopyTest, PinnedRunsAtEightyPercentOfTheLink) {
  // PCIe 3.0 x16: 15.75 GB/s raw, so 12.6 MB take 1 ms and the set-up.
  EXPECT_NEAR(
      TimeOfCopy(CopyPath::kHostToDevicePinned, 12.6e6, *FindGpu("t4")).ns,
      1e6 + 1200, 1);
}

TEST(CopyTest, PageableIsSlowerThanPinned) {
  const GpuSpec& gpu = *FindGpu("a100-80-pcie");
  for (const double bytes : {1e3, 1e6, 1e9}) {
    EXPECT_GT(TimeOfCopy(CopyPath::kHostToDevicePageable, bytes, gpu).ns,
              TimeOfCopy(CopyPath::kHostToDevicePinned, bytes, gpu).ns);
    EXPECT_GT(TimeOfCopy(CopyPath::kDeviceToHostPageable, bytes, gpu).ns,
              TimeOfCopy(CopyPath::kDeviceToHostPinned, bytes, gpu).ns);
  }
}

TEST(CopyTest, DeviceCopyReadsAndWrites) {
  const GpuSpec& gpu = *FindGpu("h100-sxm");
  EXPECT_NEAR(TimeOfCopy(CopyPath::kDeviceToDevice, 1e9, gpu).ns /
                  TimeOfCopy(CopyPath::kMemset, 1e9, gpu).ns,
              2 * 0.95, 0.01);
}

TEST(CopyTest, PeersUseNvlinkWhereTheyHaveIt) {
  EXPECT_LT(
      TimeOfCopy(CopyPath::kPeer, 1e9, *FindGpu("h100-sxm")).ns,
      TimeOfCopy(CopyPath::kHostToDevicePinned, 1e9, *FindGpu("h100-sxm")).ns /
          5);
  EXPECT_NEAR(
      TimeOfCopy(CopyPath::kPeer, 1e9, *FindGpu("t4")).ns /
          TimeOfCopy(CopyPath::kHostToDevicePinned, 1e9, *FindGpu("t4")).ns,
      1, 0.001);
}

TEST(CopyTest, NothingStillTakesItsSetUp) {
  EXPECT_EQ(TimeOfCopy(CopyPath::kHostToDevicePinned, 0, *FindGpu("t4")).bound,
            Bound::kLatency);
}

}  // namespace
}  // namespace dltap::opmodel
