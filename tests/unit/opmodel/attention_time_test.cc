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

// A tile that the diagonal crosses is computed whole: 64 of 8,192 / 2.
TEST(AttentionTimeTest, CausalSkipsTheTilesAboveTheDiagonal) {
  for (const char* name : {"a100-80-sxm", "h100-sxm"}) {
    const GpuSpec& gpu = *FindGpu(name);
    const double full =
        TimeOf(MakeAttention(OpKind::kAttentionForward, 8192), gpu)->ns;
    const double causal =
        TimeOf(MakeAttention(OpKind::kAttentionForward, 8192, true), gpu)->ns;
    EXPECT_GT(causal / full, 0.505) << name;
    EXPECT_LT(causal / full, 0.52) << name;
  }
}

double TflopsOfHead(int64_t head_dim, const char* gpu) {
  Operation op = MakeAttention(OpKind::kAttentionForward, 8192);
  op[Dim::kHeadDim] = head_dim;
  return CostOf(op)->flops / TimeOf(op, *FindGpu(gpu))->ns / 1e3;
}

// A score costs one exponential however long its two products are: 0.25 clocks
// of the A100's tensor cores at 128 elements, 0.0625 for the exponential.
TEST(AttentionTimeTest, ShortHeadsWaitForTheSoftmax) {
  EXPECT_NEAR(
      TflopsOfHead(64, "a100-80-sxm") / TflopsOfHead(128, "a100-80-sxm"),
      (0.2907 + 0.1172) / (0.2907 + 2 * 0.1172), 0.01);
  EXPECT_GT(TflopsOfHead(64, "h100-sxm"),
            0.9 * TflopsOfHead(128, "h100-sxm"));  // side by side
}

TEST(AttentionTimeTest, AShortCallIsAsLongAsItsKernelIsDeep) {
  Operation op = MakeAttention(OpKind::kAttentionForward, 16, true);
  op[Dim::kBatch] = op[Dim::kHeads] = 1;
  const double a100 = TimeOf(op, *FindGpu("a100-80-sxm"))->ns;
  EXPECT_NEAR(a100, 2000 + 8000 / 1.41, 200);
  EXPECT_LT(TimeOf(op, *FindGpu("l40s"))->ns, a100);  // clocks are shorter
}

TEST(AttentionTimeTest, SharedKeysAreReadOnce) {
  Operation op = MakeAttention(OpKind::kAttentionForward, 16);
  op[Dim::kBatch] = 4096;
  const GpuSpec& gpu = *FindGpu("l40s");
  const double own = TimeOf(op, gpu)->ns;
  op[Dim::kKvHeads] = 1;  // of 32
  EXPECT_LT(TimeOf(op, gpu)->ns, 0.6 * own);
}

TEST(AttentionTimeTest, DecodingOneTokenIsBoundByTheCache) {
  Operation op = MakeAttention(OpKind::kAttentionForward, 8192);
  op[Dim::kSeqQ] = 1;
  EXPECT_EQ(TimeOf(op, *FindGpu("h100-sxm"))->bound, Bound::kMemory);
}

}  // namespace
}  // namespace dltap::opmodel
