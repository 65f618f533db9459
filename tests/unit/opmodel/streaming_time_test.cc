// SPDX-License-Identifier: Apache-2.0
#include "opmodel/streaming_time.h"

#include <gtest/gtest.h>

#include "opmodel/device_time.h"
#include "opmodel/modelled_time.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

Operation MakeRowOp(OpKind kind, int64_t rows, int64_t row_elements) {
  return MakeOperation(kind, {{Dim::kRows, rows},
                              {Dim::kElementsIn, rows * row_elements},
                              {Dim::kElementsOut, rows * row_elements}});
}

// Passes over the tensor that the modelled time stands for.
double PassesOf(const Operation& op, const GpuSpec& gpu) {
  const double one_pass_ns =
      MemoryNs(4.0 * static_cast<double>(op[Dim::kElementsIn]), gpu);
  return (TimeOf(op, gpu)->ns - kEmptyKernelNs) / one_pass_ns;
}

TEST(StreamingTimeTest, BytesAtSustainedBandwidthAboveTheFloor) {
  const GpuSpec& gpu = *FindGpu("t4");
  // 320 GB/s x 0.74 = 236.8 GB/s: 236.8 MB take 1 ms.
  EXPECT_NEAR(StreamingTime(236.8e6, gpu).ns, 1e6 + kEmptyKernelNs, 1);
  EXPECT_EQ(StreamingTime(236.8e6, gpu).bound, Bound::kMemory);
}

TEST(StreamingTimeTest, FewBytesAreLatency) {
  EXPECT_EQ(StreamingTime(1000, *FindGpu("h100-sxm")).bound, Bound::kLatency);
}

// A transposed copy of half-precision numbers touches a sector of 32 bytes for
// each two.
TEST(StreamingTimeTest, ScatteredAccessesWaitForTheL2) {
  const GpuSpec& gpu = *FindGpu("rtx-3090");
  const double dense_ns = StreamingTime(1e9, gpu).ns;
  EXPECT_EQ(ScatteredTime(1e9, 1e9, gpu).ns, dense_ns);
  EXPECT_GT(ScatteredTime(1e9, 8.5e9, gpu).ns, 2 * dense_ns);
  for (const GpuSpec& each : AllGpus()) {
    EXPECT_GE(L2BytesPerS(each), each.bandwidth_bytes_per_s) << each.name;
  }
}

TEST(RowPassTest, ShortSoftmaxRowsStayInRegisters) {
  EXPECT_NEAR(PassesOf(MakeRowOp(OpKind::kSoftmaxForward, 65536, 1024),
                       *FindGpu("p100-pcie")),
              2, 1e-6);
}

TEST(RowPassTest, LongSoftmaxRowsAreReadThreeTimes) {
  EXPECT_NEAR(PassesOf(MakeRowOp(OpKind::kSoftmaxForward, 65536, 16384),
                       *FindGpu("p100-pcie")),
              4, 1e-6);
}

TEST(RowPassTest, LayerNormReadsTwiceWhenRowsOutgrowTheCaches) {
  EXPECT_NEAR(PassesOf(MakeRowOp(OpKind::kNormForward, 65536, 16384),
                       *FindGpu("a100-40-pcie")),
              3, 1e-6);
  EXPECT_NEAR(PassesOf(MakeRowOp(OpKind::kNormForward, 65536, 1024),
                       *FindGpu("a100-40-pcie")),
              2, 1e-6);
}

TEST(RowPassTest, LayerNormMissesEarlierBeforeAmpere) {
  // Eight rows of 6 KB in flight are 0.75 of T4's 64 KB: half of the way from
  // 0.45 to 1.05. Of the L2 they take all the room that there is.
  GpuSpec gpu = *FindGpu("t4");
  gpu.l2_bytes = 1;
  const Operation op = MakeRowOp(OpKind::kNormForward, 65536, 1536);
  EXPECT_NEAR(PassesOf(op, gpu), 2.5, 1e-6);
  gpu.compute_major = 8;
  EXPECT_NEAR(PassesOf(op, gpu), 2, 1e-6);
}

// A block of 256 threads takes 1024 elements at a step: 2048 are two steps, of
// 1280 the last 256 are a step of their own, of 1600 the last 576 are three.
TEST(RowPassTest, SoftmaxBlocksWaitHoweverFastTheMemoryIs) {
  GpuSpec gpu = *FindGpu("a100-80-pcie");
  gpu.bandwidth_bytes_per_s = 1e18;
  const auto block_cycles = [&](int64_t row_elements, double blocks_per_sm) {
    const Operation op =
        MakeRowOp(OpKind::kSoftmaxForward, 1080000, row_elements);
    const double waves = 1080000 / 108. / blocks_per_sm;
    return (TimeOf(op, gpu)->ns - kEmptyKernelNs) / waves * 1.410;
  };
  EXPECT_NEAR(block_cycles(2048, 8), 8500 + 2 * 2300, 1);
  EXPECT_NEAR(block_cycles(1280, 8), 8500 + 2 * 2300, 1);
  EXPECT_NEAR(block_cycles(1600, 8), 8500 + 4 * 2300, 1);
  EXPECT_NEAR(block_cycles(4096, 4), 8500 + 2 * 2300, 1);
  EXPECT_LT(block_cycles(1024, 1), 1);  // stays in registers
}

// ConvNeXt's of 40 channels: a block of 128 threads for each.
TEST(RowPassTest, ShortNormRowsWaitForTheirBlocksHoweverFastTheMemoryIs) {
  Operation op = MakeRowOp(OpKind::kNormForward, 1 << 20, 40);
  op.storage = op.math = DType::kF16;
  GpuSpec gpu = *FindGpu("rtx-3090");
  const auto ns = [&] { return RowPassTime(op, *CostOf(op), gpu); };
  const ModelledTime wait = ns();
  EXPECT_EQ(wait.bound, Bound::kLatency);
  gpu.bandwidth_bytes_per_s *= 10;
  EXPECT_EQ(ns().ns, wait.ns);
  gpu.sms *= 2;
  EXPECT_NEAR(ns().ns - kEmptyKernelNs, (wait.ns - kEmptyKernelNs) / 2, 1);
}

TEST(RowPassTest, SoftmaxOfSlowMemoryDoesNotWaitForItsBlocks) {
  const Operation op = MakeRowOp(OpKind::kSoftmaxForward, 65536, 2048);
  EXPECT_EQ(TimeOf(op, *FindGpu("t4"))->bound, Bound::kMemory);
}

TEST(RowPassTest, ALargeL2KeepsTheRows) {
  const Operation op = MakeRowOp(OpKind::kNormForward, 65536, 4096);
  GpuSpec small = *FindGpu("l4");
  small.l2_bytes = 2 << 20;
  EXPECT_LT(PassesOf(op, *FindGpu("l4")), PassesOf(op, small));
}

TEST(RowPassTest, UnknownRowsAreOnePass) {
  Operation op = MakeRowOp(OpKind::kSoftmaxForward, 65536, 16384);
  op[Dim::kRows] = 0;
  EXPECT_NEAR(PassesOf(op, *FindGpu("p100-pcie")), 2, 1e-6);
}

}  // namespace
}  // namespace dltap::opmodel
