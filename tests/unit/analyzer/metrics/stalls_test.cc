// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/stalls.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

double Share(const StallRow& row, StallGroup group) {
  return row.share[static_cast<size_t>(group)].value_or(-1);
}

KernelCounters Launch(std::string kernel, std::optional<double> cycles,
                      std::map<std::string, double> stalls) {
  return {.kernel = std::move(kernel),
          .cycles = cycles,
          .duration_ns = std::nullopt,
          .stalls = std::move(stalls)};
}

// METRICS.md "Stall reasons": the worked example.
TEST(StallsTest, SharesAreWeightedByCycles) {
  const StallFigures figures = StallsOf(
      {.file = "raw.csv",
       .launches = {Launch("ampere_sgemm_128x64_nn", 3000,
                           {{"wait", 3}, {"long_scoreboard", 1}}),
                    Launch("ampere_sgemm_32x32_nn", 1000,
                           {{"long_scoreboard", 5}, {"selected", 100}})}});
  EXPECT_EQ(figures.weight, StallWeight::kCycles);
  ASSERT_EQ(figures.classes.size(), 1u);
  const StallRow& gemm = figures.classes[0];
  EXPECT_EQ(gemm.layer_class, LayerClass::kGemm);
  // (3000 * 3/4 + 1000 * 0) / 4000; memory has the rest: issuing is no stall.
  EXPECT_DOUBLE_EQ(Share(gemm, StallGroup::kExecutionDependency), 0.5625);
  EXPECT_DOUBLE_EQ(Share(gemm, StallGroup::kMemoryDependency), 0.4375);
  EXPECT_DOUBLE_EQ(*gemm.weight_share, 1);
  EXPECT_EQ(gemm.gpu_ns, std::nullopt) << "no launch has its time";
}

TEST(StallsTest, ALaunchWithoutReasonsCountsInNoShare) {
  const StallFigures figures = StallsOf(
      {.file = "",
       .launches = {Launch("nobody_knows_this", 100, {}),
                    Launch("nobody_knows_this", 100, {{"barrier", 2}})}});
  EXPECT_EQ(figures.without_stalls, 1u);
  EXPECT_EQ(figures.unclassified, 2u);
  EXPECT_DOUBLE_EQ(Share(figures.total, StallGroup::kSynchronization), 1);
}

TEST(StallsTest, WithoutCyclesOfAllLaunchesEachCountsOnce) {
  const StallFigures figures =
      StallsOf({.file = "",
                .launches = {Launch("a", 1000000, {{"wait", 1}}),
                             Launch("b", std::nullopt, {{"barrier", 1}})}});
  EXPECT_EQ(figures.weight, StallWeight::kLaunches);
  EXPECT_DOUBLE_EQ(Share(figures.total, StallGroup::kSynchronization), 0.5);
}

TEST(StallsTest, AReasonOfANewerGpuIsOther) {
  EXPECT_EQ(GroupOf("gmma"), StallGroup::kOther);
  EXPECT_EQ(GroupOf("tex_throttle"), StallGroup::kPipeBusy);
}

}  // namespace
}  // namespace dltap::analyzer
