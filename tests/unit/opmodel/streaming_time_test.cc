// SPDX-License-Identifier: Apache-2.0
#include "shim/opmodel/streaming_time.h"

#include <gtest/gtest.h>

#include "shim/opmodel/launch_floor.h"
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
