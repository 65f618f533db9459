// SPDX-License-Identifier: Apache-2.0
#include "opmodel/device_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "opmodel/alternatives.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

// Operations from one element to what fills a GPU, by one size.
std::vector<Operation> OperationsOfSize(int64_t size) {
  const SquareConv conv{.batch = size,
                        .in_channels = size,
                        .out_channels = size,
                        .size = size,
                        .filter = 3,
                        .padding = 1};
  std::vector<Operation> ops = {
      MakeGemm(size, size, size), MakeGemm(size, 1, size, size),
      MakeOperation(OpKind::kAttentionForward, {{Dim::kBatch, 1},
                                                {Dim::kHeads, 4},
                                                {Dim::kKvHeads, 4},
                                                {Dim::kSeqQ, size},
                                                {Dim::kSeqKv, size},
                                                {Dim::kHeadDim, 64},
                                                {Dim::kHeadDimV, 64}})};
  for (const OpKind kind : {OpKind::kConvForward, OpKind::kConvBackwardData,
                            OpKind::kConvBackwardWeight}) {
    ops.push_back(MakeConv(kind, conv));
  }
  for (const OpKind kind : {OpKind::kRnnForward, OpKind::kRnnBackwardData,
                            OpKind::kRnnBackwardWeight}) {
    for (const RnnCell cell : {RnnCell::kTanh, RnnCell::kLstm, RnnCell::kGru}) {
      ops.push_back(MakeRnn(kind, cell, 16, size, size, size));
    }
  }
  for (const OpKind kind :
       {OpKind::kPointwise, OpKind::kNormForward, OpKind::kNormBackward,
        OpKind::kSoftmaxForward, OpKind::kSoftmaxBackward, OpKind::kReduction,
        OpKind::kPoolForward, OpKind::kOptimizer, OpKind::kEmbedding}) {
    ops.push_back(MakeOperation(kind, {{Dim::kElementsIn, size * size},
                                       {Dim::kElementsOut, size * size},
                                       {Dim::kRows, size}}));
  }
  return ops;
}

constexpr DType kTypes[] = {DType::kF64,    DType::kF32,    DType::kTf32,
                            DType::kF16,    DType::kBf16,   DType::kF8E4M3,
                            DType::kF8E5M2, DType::kF4E2M1, DType::kI8};

double TimeNs(Operation op, DType type, const GpuSpec& gpu) {
  op.math = type;
  op.storage = type == DType::kTf32 ? DType::kF32 : type;
  const std::optional<ModelledTime> time = TimeOf(op, gpu);
  return time ? time->ns : 0;
}

TEST(TimeOfTest, IsPositiveAndGrowsWithSizeForEveryGpuKindAndType) {
  // Tensor cores take steps of 8, so growth holds between multiples; a larger
  // shape may fit a tile a little better.
  constexpr double kBetterFit = 0.9;
  for (const GpuSpec& gpu : AllGpus()) {
    for (const DType type : kTypes) {
      std::vector<double> before;
      for (const int64_t size : {1, 3, 8, 32, 128, 512}) {
        const std::vector<Operation> ops = OperationsOfSize(size);
        before.resize(ops.size());
        for (size_t i = 0; i < ops.size(); ++i) {
          const double ns = TimeNs(ops[i], type, gpu);
          const std::string what = absl::StrCat(
              std::string(gpu.name), " type ", static_cast<int>(type), " kind ",
              static_cast<int>(ops[i].kind), " size ", size);
          ASSERT_TRUE(std::isfinite(ns)) << what;
          ASSERT_GT(ns, 1000) << what;
          ASSERT_GE(ns, kBetterFit * before[i]) << what;
          if (size % 8 == 0) before[i] = ns;
        }
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
  // 2^20 blocks x 128 threads x 32 bytes = 4 GiB at the sustained bandwidth.
  const GpuSpec& gpu = *FindGpu("h100-sxm");
  const KernelLaunch launch{.blocks = 1 << 20,
                            .threads_per_block = 128,
                            .registers_per_thread = 0,
                            .shared_bytes = 0,
                            .bytes_per_thread = 0};
  const ModelledTime time = TimeOf(launch, gpu);
  EXPECT_NEAR(time.ns,
              4294967296.0 / (3352 * gpu.sustained_bandwidth_ratio) + 2000, 1);
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
