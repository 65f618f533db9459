// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/period_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One token per letter, 10 ns each, 1 ns apart; '.' lengthens the pause before
// the next one. Capital letters are updates, digits copies.
std::vector<CallToken> Tokens(std::string_view letters) {
  std::vector<CallToken> tokens;
  int64_t at = 0;
  for (const char letter : letters) {
    if (letter == '.') {
      at += 100;
      continue;
    }
    const bool update = letter >= 'A' && letter <= 'Z';
    const bool computes = letter < '0' || letter > '9';
    tokens.push_back(
        {static_cast<uint32_t>(letter), at, at + 10, computes, update, false});
    at += 11;
  }
  return tokens;
}

TEST(PeriodFinderTest, StepBeginsAfterTheUpdate) {
  EXPECT_THAT(FindStepStarts(Tokens("abcUabcUabcUabcU")),
              ElementsAre(0, 4, 8, 12));
}

TEST(PeriodFinderTest, SetUpBeforeTheLoopIsNoStep) {
  EXPECT_THAT(FindStepStarts(Tokens("xyzzyabcUVabcUVabcUVabcUV")),
              ElementsAre(5, 10, 15, 20));
}

TEST(PeriodFinderTest, WithoutUpdateTheLongestPauseBegins) {
  EXPECT_THAT(FindStepStarts(Tokens("ab.cdab.cdab.cdab.cd")),
              ElementsAre(2, 6, 10, 14));
}

TEST(PeriodFinderTest, RepeatedLayersAreNotSteps) {
  // Each step holds the layer `ab` three times.
  EXPECT_THAT(FindStepStarts(Tokens("cabababUcabababUcabababUcabababU")),
              ElementsAre(0, 8, 16, 24));
}

TEST(PeriodFinderTest, WhatHappensEveryThirdStepIsNoStep) {
  std::string run;
  for (int step = 0; step < 12; ++step) {
    run += step % 3 == 2 ? "abcdefghijklxU" : "abcdefghijklU";
  }
  EXPECT_THAT(FindStepStarts(Tokens(run)), ::testing::SizeIs(12));
}

TEST(PeriodFinderTest, ARowOfCopiesIsNoLoop) {
  EXPECT_THAT(FindStepStarts(Tokens("111111111111111111")), IsEmpty());
}

TEST(PeriodFinderTest, WhatDoesNotRepeatHasNoSteps) {
  EXPECT_THAT(FindStepStarts(Tokens("abcdefgh")), IsEmpty());
  EXPECT_THAT(FindStepStarts({}), IsEmpty());
}

}  // namespace
}  // namespace dltap::analyzer
