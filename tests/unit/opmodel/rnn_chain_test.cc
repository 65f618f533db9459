// SPDX-License-Identifier: Apache-2.0
#include "opmodel/rnn_chain.h"

#include <gtest/gtest.h>

#include "opmodel/cost.h"
#include "opmodel/device_time.h"
#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

const GpuSpec& V100() { return *FindGpu("v100-sxm"); }

int64_t CountKernels(const std::vector<RnnStage>& chain) {
  int64_t count = 0;
  for (const RnnStage& stage : chain) {
    count += stage.repeats * static_cast<int64_t>(stage.kernels.size());
  }
  return count;
}

double SumFlops(const std::vector<RnnStage>& chain) {
  double flops = 0;
  for (const RnnStage& stage : chain) {
    for (const RnnKernel& kernel : stage.kernels) {
      flops += stage.repeats * kernel.flops;
    }
  }
  return flops;
}

TEST(RnnChainTest, LstmForwardIsOneInputGemmThenTwoKernelsPerStep) {
  const auto chain = RnnChainOf(
      MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 50, 32, 256, 512), V100());
  ASSERT_TRUE(chain.has_value());
  ASSERT_EQ(chain->size(), 2u);
  EXPECT_EQ((*chain)[0].kernels[0].role, RnnKernelRole::kInputGemm);
  EXPECT_EQ((*chain)[1].repeats, 50);
  EXPECT_EQ((*chain)[1].kernels[0].role, RnnKernelRole::kRecurrentGemm);
  EXPECT_EQ((*chain)[1].kernels[1].role, RnnKernelRole::kCell);
  EXPECT_EQ(CountKernels(*chain), 101);
}

TEST(RnnChainTest, FlopsOfTheChainAreTheCost) {
  for (const OpKind kind : {OpKind::kRnnForward, OpKind::kRnnBackwardData,
                            OpKind::kRnnBackwardWeight}) {
    Operation op = MakeRnn(kind, RnnCell::kGru, 7, 4, 24, 40);
    op[Dim::kLayers] = 2;
    op[Dim::kDirections] = 2;
    op[Dim::kProj] = 16;
    EXPECT_DOUBLE_EQ(SumFlops(*RnnChainOf(op, V100())), CostOf(op)->flops);
  }
}

TEST(RnnChainTest, TimeIsTheSumOfTheChain) {
  const Operation op =
      MakeRnn(OpKind::kRnnBackwardData, RnnCell::kLstm, 9, 16, 64, 128);
  const auto chain = RnnChainOf(op, V100());
  double sum_ns = 0;
  for (const RnnStage& stage : *chain) {
    for (const RnnKernel& kernel : stage.kernels) {
      sum_ns += stage.repeats * kernel.time.ns;
    }
  }
  EXPECT_DOUBLE_EQ(TimeOf(op, V100())->ns, sum_ns);
}

TEST(RnnChainTest, BackwardWeightHasNoSteps) {
  const auto chain = RnnChainOf(
      MakeRnn(OpKind::kRnnBackwardWeight, RnnCell::kLstm, 50, 32, 256, 512),
      V100());
  EXPECT_EQ(CountKernels(*chain), 2);
  for (const RnnStage& stage : *chain) EXPECT_EQ(stage.repeats, 1);
}

TEST(RnnChainTest, SkippedInputLeavesOutTheInputGemm) {
  const auto chain = RnnChainOf(
      MakeRnn(OpKind::kRnnForward, RnnCell::kTanh, 10, 8, 0, 64), V100());
  EXPECT_EQ(CountKernels(*chain), 20);
}

TEST(RnnChainTest, SmallStepsAreLatencyAndUseTheGpuBadly) {
  const Operation op =
      MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 100, 32, 256, 256);
  const ModelledTime time = *TimeOf(op, V100());
  EXPECT_EQ(time.bound, Bound::kLatency);
  const double achieved = CostOf(op)->flops / (time.ns * 1e-9);
  EXPECT_LT(achieved, 0.15 * V100().fp32_flops_per_s);
}

TEST(RnnChainTest, TimeGrowsWithTheSequenceNotWithASmallBatch) {
  const auto ns = [](int64_t seq, int64_t batch) {
    return TimeOf(
               MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, seq, batch, 0, 512),
               V100())
        ->ns;
  };
  EXPECT_NEAR(ns(200, 16) / ns(100, 16), 2, 0.01);
  EXPECT_LT(ns(100, 32) / ns(100, 16), 1.2);
}

// DeepBench, P100, GRU of 1024: 156 us a step with 32 columns, 116 with 64.
TEST(RnnChainTest, PascalsKernelFor32ColumnsIsSlowerThanTheOneFor64) {
  const auto step_ns = [](int64_t batch) {
    return TimeOf(
               MakeRnn(OpKind::kRnnForward, RnnCell::kGru, 100, batch, 0, 1024),
               *FindGpu("p100-pcie"))
               ->ns /
           100;
  };
  EXPECT_NEAR(step_ns(32), 156e3, 30e3);
  EXPECT_NEAR(step_ns(64), 116e3, 30e3);
}

// DeepBench, M40, vanilla of 2560: 238 us a step with 32 columns, 321 with 64;
// a plain GEMM of cuBLAS 7.5 takes as long for both.
TEST(RnnChainTest, StepsOnMaxwellHaveNarrowTilesWhereGemmsHaveNone) {
  const GpuSpec& m40 = *FindGpu("m40");
  const auto step_ns = [&](int64_t batch) {
    return TimeOf(MakeRnn(OpKind::kRnnForward, RnnCell::kTanh, 100, batch, 0,
                          2560),
                  m40)
               ->ns /
           100;
  };
  EXPECT_NEAR(step_ns(32), 238e3, 25e3);
  EXPECT_NEAR(step_ns(64), 321e3, 35e3);
  EXPECT_DOUBLE_EQ(TimeOf(MakeGemm(2560, 32, 2560), m40)->ns,
                   TimeOf(MakeGemm(2560, 64, 2560), m40)->ns);
}

TEST(RnnChainTest, VoltasGatesShareTheWalkOfBackward) {
  const auto ns = [](OpKind kind) {
    return TimeOf(MakeRnn(kind, RnnCell::kLstm, 50, 16, 0, 256), V100())->ns;
  };
  EXPECT_NEAR(ns(OpKind::kRnnBackwardData) / ns(OpKind::kRnnForward), 1, 0.2);
}

TEST(RnnChainTest, UnknownCellOrOtherKindIsUnknown) {
  EXPECT_FALSE(
      RnnChainOf(MakeRnn(OpKind::kRnnForward, RnnCell::kNone, 1, 1, 1, 1),
                 V100())
          .has_value());
  EXPECT_FALSE(
      RnnChainOf(MakeRnn(OpKind::kGemm, RnnCell::kLstm, 1, 1, 1, 1), V100())
          .has_value());
}

}  // namespace
}  // namespace dltap::opmodel
