// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/kind_period.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/metrics/steps/step_lengths.h"

namespace dltap::analyzer {
namespace {

size_t Period(const std::string& kinds) {
  return PeriodBesideExtras(std::vector<uint32_t>(kinds.begin(), kinds.end()));
}

TEST(KindPeriodTest, NetsThatAreRegularisedNowAndThenTrainByTurns) {
  EXPECT_EQ(Period("gdrgdgdgdgdgdrgdgd"), 2u);
  EXPECT_EQ(Period("gpdrgdgdgdgdrgdgdgdgpdrgd"), 2u);
  EXPECT_EQ(Period("dddgdddrgdddgdddg"), 4u);
}

TEST(KindPeriodTest, TheLastStepMayBreakOff) {
  EXPECT_EQ(Period("gdgdrgdgdg"), 2u);
}

TEST(KindPeriodTest, AnExtraIsInHalfOfTheStepsAtMost) {
  EXPECT_EQ(Period("gdrgdrgdgd"), 2u);
  EXPECT_EQ(Period("gdrgdrgdrgd"), 1u);
}

TEST(KindPeriodTest, OneNetWithExtrasIsNoRowOfParts) {
  EXPECT_EQ(Period("ggggrgggggrgg"), 1u);
}

TEST(KindPeriodTest, TasksInAnyOrderAreNone) {
  EXPECT_EQ(Period("abbabaabcabbbaba"), 1u);
}

TEST(KindPeriodTest, WhatRecursWithoutExtrasIsNotAskedAbout) {
  EXPECT_EQ(Period("gdgdgdgdgd"), 1u);
  EXPECT_EQ(Period("aaabaaabaaab"), 1u);
}

TEST(KindPeriodTest, LongRowsAreLoopsByTurns) {
  const std::string rows = "aaaaaaaabbbbbbbb";
  EXPECT_EQ(Period(rows + "x" + rows + rows + rows), 1u);
}

TEST(KindPeriodTest, TwiceIsNoRepetition) { EXPECT_EQ(Period("gdrgd"), 1u); }

TEST(KindPeriodTest, AStepKeepsItsExtras) {
  const std::string kinds = "abrababababrababab";
  const std::vector<uint32_t> numbers(kinds.begin(), kinds.end());
  EXPECT_EQ(StepLengths(numbers, PeriodBesideExtras(numbers)),
            (std::vector<size_t>{3, 2, 2, 2, 3, 2, 2, 2}));
}

}  // namespace
}  // namespace dltap::analyzer
