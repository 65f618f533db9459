// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace dltap::analyzer {
namespace {

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Measured Of(const std::vector<double>& values) {
  return {MeanOf(values), values};
}

// Slow waves: neighbours are alike.
std::vector<double> Waves(size_t n, double mean) {
  std::vector<double> values;
  for (size_t i = 0; i < n; ++i) {
    values.push_back(mean + std::sin(static_cast<double>(i) * 0.2));
  }
  return values;
}

// Means 2 and 5, variances 1 and 1, five values each: the standard error is
// sqrt(0.4), the degrees of freedom are 8.
TEST(ChangeTest, WelchsIntervalIsTheOneWorkedOutByHand) {
  const Change change = ChangeOf(Of({1, 3, 2, 1, 3}), Of({4, 6, 5, 4, 6}));
  EXPECT_DOUBLE_EQ(*change.change, 3);
  EXPECT_DOUBLE_EQ(*change.relative, 1.5);
  ASSERT_TRUE(change.interval);
  EXPECT_NEAR(*change.margin(), 2.306 * std::sqrt(0.4), 0.01);
  EXPECT_TRUE(change.is_significant());
}

TEST(ChangeTest, NoiseIsNoChange) {
  const Change change =
      ChangeOf(Of({10, 12, 9, 11, 13}), Of({11, 10, 12, 13, 10}));
  EXPECT_TRUE(change.differs());
  EXPECT_FALSE(change.is_significant());
}

TEST(ChangeTest, TheOtherWayRoundAllSignsTurn) {
  for (const size_t n : {5, 40, 200}) {
    const Measured a = Of(Waves(n, 10));
    const Measured b = Of(Waves(n + 7, 10.4));
    const Change there = ChangeOf(a, b);
    const Change back = ChangeOf(b, a);
    EXPECT_DOUBLE_EQ(*there.change, -*back.change);
    EXPECT_NEAR((*there.interval)[0], -(*back.interval)[1], 1e-9) << n;
    EXPECT_NEAR((*there.interval)[1], -(*back.interval)[0], 1e-9) << n;
  }
}

// Welch would take 200 such steps for independent, and be far too certain.
TEST(ChangeTest, AlikeNeighboursMakeTheIntervalWider) {
  std::vector<double> shuffled = Waves(200, 10);
  for (size_t i = 0; i < 100; ++i) {
    std::swap(shuffled[i], shuffled[(i * 73) % 200]);
  }
  const std::vector<double> waves = Waves(200, 10);
  const Change alike = ChangeOf(Of(waves), Of(Waves(201, 10.1)));
  const Change apart = ChangeOf(Of(shuffled), Of(shuffled));
  EXPECT_GT(*alike.margin(), 1.3 * *apart.margin());
}

using Series = std::function<std::vector<double>(size_t n)>;

// In how many of 200 pairs of series that differ by 1 the interval says so.
int Hits(size_t n, const Series& series) {
  int hits = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const Measured base = Of(series(n));
    std::vector<double> now = series(n + 3);
    for (double& value : now) value += 1;
    const auto interval = *ChangeOf(base, Of(now)).interval;
    hits += interval[0] <= 1 && 1 <= interval[1];
  }
  return hits;
}

// Each step takes over `alike` of what the one before it was off.
Series Alike(double alike, std::mt19937_64& random) {
  return [alike, &random](size_t n) {
    std::normal_distribution<double> noise;
    std::vector<double> values;
    double off = 0;
    for (size_t i = 0; i < n + 50; ++i) {
      off = alike * off + noise(random);
      if (i >= 50) values.push_back(10 + off);
    }
    return values;
  };
}

// 95 % promised, 200 pairs: fewer than 179 come once in 20,000 times.
TEST(ChangeTest, TheIntervalHoldsTheTrueChangeAsOftenAsItPromises) {
  std::mt19937_64 random(1);
  for (const size_t n : {5, 10, 18, 50, 200}) {
    EXPECT_GE(Hits(n, Alike(0, random)), 179) << n;
    EXPECT_GE(Hits(n, Alike(0.2, random)), 179) << n;
    EXPECT_GE(Hits(n,
                   [&](size_t count) {
                     std::lognormal_distribution<double> tail;
                     std::vector<double> values;
                     for (size_t i = 0; i < count; ++i)
                       values.push_back(tail(random));
                     return values;
                   }),
              179)
        << n;
  }
  for (const size_t n : {10, 18, 50, 200}) {
    EXPECT_GE(Hits(n, Alike(0.4, random)), 179) << n;
    EXPECT_GE(Hits(n, Alike(0.6, random)), 179) << n;
  }
}

// Nor is it so wide that it says nothing.
TEST(ChangeTest, OfIndependentStepsTheIntervalIsHardlyWiderThanWelchs) {
  std::mt19937_64 random(1);
  double sum = 0;
  for (int pair = 0; pair < 100; ++pair) {
    const Series series = Alike(0, random);
    sum += *ChangeOf(Of(series(50)), Of(series(50))).margin();
  }
  EXPECT_LT(sum / 100, 1.15 * 1.984 * std::sqrt(2.0 / 50));
}

TEST(ChangeTest, WhatIsUnknownHasNoChange) {
  EXPECT_FALSE(ChangeOf({}, {1}).change);
  EXPECT_FALSE(ChangeOf({1}, {}).change);
  EXPECT_FALSE(ChangeOf({0}, {1}).relative);
  EXPECT_FALSE(ChangeOf({1}, {2}).interval);
}

}  // namespace
}  // namespace dltap::analyzer
