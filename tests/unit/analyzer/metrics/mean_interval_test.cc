// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/mean_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyzer/metrics/base/mean_of_steps.h"
#include "analyzer/metrics/figures/step_figures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {
namespace {

// Independent, of mean 1,000 and deviation 100.
std::vector<int64_t> NoisySteps(int n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1'000, 100);
  std::vector<int64_t> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(static_cast<int64_t>(noise(random)));
  }
  return values;
}

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
  const std::vector<int64_t> values = NoisySteps(400);
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

// Eight ranks that wait for each other take the same time: they tell no more
// than one.
TEST(MeanIntervalTest, RanksThatStepTogetherTellNoMoreThanOne) {
  const std::vector<int64_t> values = NoisySteps(40);
  const auto one = MeanInterval({values});
  const auto eight = MeanInterval(std::vector(8, values));
  ASSERT_TRUE(one && eight);
  EXPECT_NEAR((*eight)[0], (*one)[0], 1e-6);
  EXPECT_NEAR((*eight)[1], (*one)[1], 1e-6);
}

// One of them ended a step later.
TEST(MeanIntervalTest, RanksOfUnequalNumbersOfStepsTellNoMoreThanOne) {
  const std::vector<int64_t> values = NoisySteps(40);
  std::vector series(8, values);
  series.back().push_back(1'000);
  const auto one = MeanInterval({values});
  const auto eight = MeanInterval(series);
  ASSERT_TRUE(one && eight);
  EXPECT_NEAR((*eight)[1] - (*eight)[0], (*one)[1] - (*one)[0], 2);
}

// One process of short steps and one of long ones, with no spread in either:
// their difference is none.
TEST(MeanIntervalTest, ProcessesOfOtherStepsAreNoSpread) {
  const auto interval = MeanInterval(
      {std::vector<int64_t>(30, 1'000), std::vector<int64_t>(10, 5'000)});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ((*interval)[0], 2'000);
  EXPECT_DOUBLE_EQ((*interval)[1], 2'000);
}

// In how many of 400 series of n steps, each of which takes over `alike` of
// what the one before it was off, the interval holds the true mean.
int Hits(size_t n, double alike, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 100);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<int64_t> values;
    double off = noise(random) / std::sqrt(1 - alike * alike);
    for (size_t step = 0; step < n; ++step) {
      off = alike * off + noise(random);
      values.push_back(std::lround(10'000 + off));
    }
    const auto interval = *MeanInterval({values});
    hits += interval[0] <= 10'000 && 10'000 <= interval[1];
  }
  return hits;
}

// 95 % promised, of 400: fewer than 360 come once in 30,000 times.
TEST(MeanIntervalTest, ItHoldsTheTrueMeanAsOftenAsItPromises) {
  std::mt19937_64 random(1);
  for (const size_t n : {10, 20, 50, 200}) {
    EXPECT_GE(Hits(n, 0, random), 360) << n;
    EXPECT_GE(Hits(n, 0.3, random), 360) << n;
  }
  for (const size_t n : {20, 50, 200}) {
    EXPECT_GE(Hits(n, 0.6, random), 350) << n;
  }
}

TEST(MeanIntervalTest, NoStepTakesLessThanNothing) {
  Summary summary;
  DeviceSummary& device = summary.devices.emplace_back();
  device.processes.emplace_back();
  for (size_t i = 0; i < 12; ++i) {
    device.steps.push_back({0, i, i == 7 ? 1'000'000'000 : 1'000});
  }
  const StepFigures steps = StepsOf(summary);
  ASSERT_TRUE(steps.ci95_ns);
  EXPECT_EQ((*steps.ci95_ns)[0], 0);
  EXPECT_GT((*steps.ci95_ns)[1], *steps.mean_ns);
}

// As in published tables.
TEST(MeanIntervalTest, StudentsQuantileIsThatOfTables) {
  EXPECT_NEAR(StudentQuantile(1), 12.706, 0.001);
  EXPECT_NEAR(StudentQuantile(3), 3.182, 0.001);
  EXPECT_NEAR(StudentQuantile(5), 2.571, 0.005);
  EXPECT_NEAR(StudentQuantile(10), 2.228, 0.002);
  EXPECT_NEAR(StudentQuantile(30), 2.042, 0.001);
  EXPECT_NEAR(StudentQuantile(1e9), 1.960, 0.001);
}

// Degrees of freedom of Welch's test and of alike steps are no whole numbers.
// By SciPy's t.ppf(0.975, degrees).
TEST(MeanIntervalTest, StudentsQuantileHoldsBetweenWholeDegrees) {
  EXPECT_NEAR(StudentQuantile(1.25), 8.0280, 0.002);
  EXPECT_NEAR(StudentQuantile(1.5), 6.0167, 0.002);
  EXPECT_NEAR(StudentQuantile(2.5), 3.5747, 0.001);
  EXPECT_NEAR(StudentQuantile(3.5), 2.9401, 0.001);
  EXPECT_NEAR(StudentQuantile(5.5), 2.5019, 0.001);
}

}  // namespace
}  // namespace dltap::analyzer
