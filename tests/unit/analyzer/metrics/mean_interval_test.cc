// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/mean_interval.h"

#include <gtest/gtest.h>

#include <random>

namespace dltap::analyzer {
namespace {

TEST(MeanIntervalTest, EqualStepsHaveNoSpread) {
  const auto interval = MeanInterval({std::vector<int64_t>(20, 5'000)});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ((*interval)[0], 5'000);
  EXPECT_DOUBLE_EQ((*interval)[1], 5'000);
}

TEST(MeanIntervalTest, FewStepsTellNothing) {
  EXPECT_FALSE(MeanInterval({}));
  EXPECT_FALSE(MeanInterval({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(MeanInterval({{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}));
}

TEST(MeanIntervalTest, IndependentStepsAgreeWithTheFormula) {
  // 400 values of deviation 100: 1.96 * 100 / 20 to both sides.
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1'000, 100);
  std::vector<int64_t> values;
  for (int i = 0; i < 400; ++i) {
    values.push_back(static_cast<int64_t>(noise(random)));
  }
  const auto interval = MeanInterval({values});
  ASSERT_TRUE(interval);
  EXPECT_NEAR((*interval)[1] - (*interval)[0], 19.6, 4);
  EXPECT_EQ(interval, MeanInterval({values}));
}

TEST(MeanIntervalTest, NeighboursThatAreAlikeWidenIt) {
  std::vector<int64_t> mixed, in_runs;
  for (int i = 0; i < 512; ++i) {
    mixed.push_back(i % 2 == 0 ? 900 : 1'100);
    in_runs.push_back(i / 8 % 2 == 0 ? 900 : 1'100);
  }
  const auto narrow = MeanInterval({mixed});
  const auto wide = MeanInterval({in_runs});
  ASSERT_TRUE(narrow && wide);
  EXPECT_GT((*wide)[1] - (*wide)[0], 2 * ((*narrow)[1] - (*narrow)[0]));
}

}  // namespace
}  // namespace dltap::analyzer
