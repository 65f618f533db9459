// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analyzer/metrics/steps/join_parts.h"
#include "analyzer/metrics/steps/step_parts.h"
#include "analyzer/metrics/steps/training_steps.h"
#include "tests/unit/analyzer/metrics/token_text.h"

namespace dltap::analyzer {
namespace {

// The iterations of each step, a letter for each kind; '-' stands for those
// that a last step lacks.
std::string Steps(const std::string& kinds, size_t parts) {
  std::string out;
  size_t first = 0;
  const std::vector<uint32_t> numbers(kinds.begin(), kinds.end());
  for (const size_t length : StepLengths(numbers, parts)) {
    if (first > 0) out += ' ';
    out += kinds.substr(first, length);
    first += length;
  }
  return out + std::string(first - kinds.size(), '-');
}

TEST(StepLengthsTest, WhatRecursEvenlyHasTheLengthOfThePeriod) {
  EXPECT_EQ(Steps("dgdgdg", 2), "dg dg dg");
  EXPECT_EQ(Steps("ddgddgddg", 3), "ddg ddg ddg");
}

TEST(StepLengthsTest, ADiscriminatorMayJoinLate) {
  EXPECT_EQ(Steps("ggggdgdgdg", 2), "g g g g dg dg dg");
  EXPECT_EQ(Steps("gggggdgdgdg", 2), "g g g g g dg dg dg");
}

TEST(StepLengthsTest, AGeneratorMayJoinLate) {
  EXPECT_EQ(Steps("dddddgdgdg", 2), "d d d d dg dg dg");
  EXPECT_EQ(Steps("ddddddgdgdg", 2), "d d d d d dg dg dg");
}

TEST(StepLengthsTest, ACriticMayTrainLongerAtFirst) {
  EXPECT_EQ(Steps("dddddddgdddddddgdddddddgddgddgddgddg", 3),
            "dddddddg dddddddg dddddddg ddg ddg ddg ddg");
}

TEST(StepLengthsTest, OneStepMayLackACritic) {
  EXPECT_EQ(Steps("dddgdddgddgdddgdddg", 4), "dddg dddg ddg dddg dddg");
}

TEST(StepLengthsTest, AnOddFirstIterationShiftsNothing) {
  EXPECT_EQ(Steps("xgdgdgdgdg", 2), "xg dg dg dg dg");
}

TEST(StepLengthsTest, AnOddBeginOfTheFirstStepShiftsNothing) {
  EXPECT_EQ(Steps("xydefabdefabdefabdef", 5), "xydef abdef abdef abdef");
}

TEST(StepLengthsTest, ALastStepMayBreakOff) {
  EXPECT_EQ(Steps("ddgddgdd", 3), "ddg ddg dd-");
}

std::vector<size_t> StepsOf(const std::string& text) {
  const std::vector<CallToken> tokens = TokensFromText(text);
  const std::vector<TokenSpan> iterations = TrainingSteps(tokens).passes;
  std::vector<TokenSpan> used;
  for (const TokenSpan& span : iterations) {
    if (span.use == StepUse::kUsed) used.push_back(span);
  }
  const std::vector<size_t> lengths =
      LengthsByKinds(tokens, used, PartsPerStep(tokens, used));
  std::vector<size_t> firsts;
  for (const TokenSpan& step : JoinedTo(lengths, tokens, iterations)) {
    firsts.push_back(step.first);
  }
  return firsts;
}

TEST(JoinPartsTest, AStepInWhichAModelDoesLessIsStillAStep) {
  // The critic is held smooth in each fourth step; two generators mix no
  // styles.
  const std::string critic = "<(p(q(r(s(t(u)u)t)s)r)q)p";
  const std::string generator = "<(a(b(c(d(e(f)f)e)d)c)b)aG";
  const std::string less = "<(a(b(c(d(e)e)d)c)b)aG";
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += i % 4 == 0 ? critic + ")yD" : critic + "D";
    text += i == 3 || i == 7 ? less : generator;
  }
  EXPECT_THAT(StepsOf(text), ::testing::SizeIs(20));
}

TEST(JoinPartsTest, APassThatOnlyShowsWhatIsLearntMakesNoOtherKind) {
  const std::string step = "<(g(d)d)gG";
  const std::string critic = "<(g(d(d)d)dD";
  const std::string shows = "(g>";
  // Ten steps; what is shown is of none.
  EXPECT_THAT(
      StepsOf(Repeat(step, 2) + shows + Repeat(step, 2) +
              Repeat(critic + step, 3) + shows + Repeat(critic + step, 3)),
      ::testing::SizeIs(10 + 2));
}

TEST(JoinPartsTest, AFirstUpdateWithoutMomentumShiftsNoParts) {
  // Two passes a step: up to the worst loss nearby, tensor by tensor, then down
  // by one kernel of the optimizer, and later by more.
  const std::string up = "<(a)b" + Repeat("NR", 30);
  const std::string down = "(a)b" + Repeat("R", 10);
  EXPECT_THAT(StepsOf(up + down + "O" + Repeat(up + down + "OOO", 7)),
              ::testing::SizeIs(8));
}

TEST(JoinPartsTest, NearlyEqualModelsAreStillTwo) {
  // Six layers; seven from the eighth step on; a small model each third time.
  const std::string six = "<(a(b(c(d(e(f)f)e)d)c)b)aG";
  const std::string seven = "<(a(b(c(d(e(f(g)g)f)e)d)c)b)aD";
  std::string text;
  for (int i = 0; i < 21; ++i) {
    text += six + (i < 7 ? "" : seven) + (i % 3 == 2 ? "<(p(q)q)pO" : "");
  }
  EXPECT_THAT(StepsOf(text), ::testing::SizeIs(21));
}

TEST(JoinPartsTest, LayersThatAreLeftOutByChanceMakeNoParts) {
  // Five times in 24, of which two pairs are as far from each other.
  std::string text;
  for (const char kind : std::string_view("abaabaaaaaaabaabaaaaaaba")) {
    text += kind == 'a' ? "<(a(b(c(d(e)e)d)c)b)aO" : "<(a(b(c(d)d)c)b)aO";
  }
  const std::vector<CallToken> tokens = TokensFromText(text);
  EXPECT_EQ(PartsPerStep(tokens, TrainingSteps(tokens).passes), 1);
}

TEST(JoinPartsTest, LengthsThatTakeTurnsAreNoPartsOfOneModelsSteps) {
  const std::vector<CallToken> tokens =
      TokensFromText(Repeat("<(a(a)b)bU<(a(a(a)b)b)bU<(a(a(a(a)b)b)b)bU", 4));
  const std::vector<TokenSpan> steps = TrainingSteps(tokens).passes;
  EXPECT_EQ(PartsPerStep(tokens, steps), 3);
  EXPECT_EQ(PartsPerStep(tokens, steps, true, PartsDiffer::kInUpdates), 1);
}

TEST(JoinPartsTest, EqualPassesInFrontOfManyStepsBelongToThem) {
  // The generator's pass in front of the discriminator's iteration is read by
  // the generator's: without it, that iteration has a pass less.
  const std::vector<CallToken> tokens =
      TokensFromText(Repeat("<(g<(d)dD(d)d)gG", 8));
  std::vector<TokenSpan> spans;
  for (size_t i = 0; i < tokens.size(); i += 10) {
    spans.push_back({i, i + 2, StepUse::kEvaluation});
    spans.push_back({i + 2, i + 6});
    spans.push_back({i + 6, i + 10});
  }
  const std::vector<TokenSpan> steps =
      JoinedTo(std::vector<size_t>(8, 2), tokens, spans);
  ASSERT_EQ(steps.size(), 8);
  EXPECT_EQ(steps[7].first, 70);
  EXPECT_EQ(steps[7].end, 80);
  EXPECT_EQ(steps[7].use, StepUse::kUsed);
}

TEST(JoinPartsTest, ReadingTheResultEndsTheLastStep) {
  const std::vector<CallToken> tokens =
      TokensFromText(Repeat("(gx)gy(dz)dw", 4) + "(gxv>");
  std::vector<TokenSpan> spans;
  for (size_t i = 0; i < 32; i += 4) spans.push_back({i, i + 4});
  spans.push_back({32, 36, StepUse::kIncomplete});
  const std::vector<TokenSpan> steps =
      JoinedTo(std::vector<size_t>(4, 2), tokens, spans);
  ASSERT_EQ(steps.size(), 4);
  EXPECT_EQ(steps[3].end, 36);
}

}  // namespace
}  // namespace dltap::analyzer
