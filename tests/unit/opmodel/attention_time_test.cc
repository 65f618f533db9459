// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "opmodel/cost.h"
#include "opmodel/device_time.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

Operation MakeAttention(OpKind kind, int64_t seq, bool causal = false) {
  Operation op = MakeOperation(kind, {{Dim::kBatch, 4},
                                      {Dim::kHeads, 32},
                                      {Dim::kSeqQ, seq},
                                      {Dim::kSeqKv, seq},
                                      {Dim::kHeadDim, 128},
                                      {Dim::kCausal, causal ? 1 : 0}});
  op.storage = op.math = DType::kBf16;
  return op;
}

// FlashAttention-2 (Dao 2023, figure 5): 190 to 230 TFLOP/s forward at head
// dimension 128 and sequences of 2k to 16k on an A100 80 GB SXM4.
TEST(AttentionTimeTest, LongForwardReachesPublishedRates) {
  const Operation op = MakeAttention(OpKind::kAttentionForward, 4096);
  const double ns = TimeOf(op, *FindGpu("a100-80-sxm"))->ns;
  const double tflops = CostOf(op)->flops / ns / 1e3;
  EXPECT_GT(tflops, 170);
  EXPECT_LT(tflops, 235);
}

TEST(AttentionTimeTest, BackwardCostsMoreThanItsFlops) {
  const GpuSpec& gpu = *FindGpu("a100-80-sxm");
  const double forward =
      TimeOf(MakeAttention(OpKind::kAttentionForward, 4096), gpu)->ns;
  const double backward =
      TimeOf(MakeAttention(OpKind::kAttentionBackward, 4096), gpu)->ns;
  EXPECT_GT(backward, 2.5 * forward);
  EXPECT_LT(backward, 4 * forward);
}

TEST(AttentionTimeTest, CausalHalvesTheTime) {
  const GpuSpec& gpu = *FindGpu("h100-sxm");
  const double full =
      TimeOf(MakeAttention(OpKind::kAttentionForward, 8192), gpu)->ns;
  const double causal =
      TimeOf(MakeAttention(OpKind::kAttentionForward, 8192, true), gpu)->ns;
  EXPECT_NEAR(causal / full, 0.5, 0.01);
}

TEST(AttentionTimeTest, DecodingOneTokenIsBoundByTheCache) {
  Operation op = MakeAttention(OpKind::kAttentionForward, 8192);
  op[Dim::kSeqQ] = 1;
  EXPECT_EQ(TimeOf(op, *FindGpu("h100-sxm"))->bound, Bound::kMemory);
}

}  // namespace
}  // namespace dltap::opmodel
