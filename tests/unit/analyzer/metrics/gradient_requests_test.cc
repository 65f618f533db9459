// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/gradient_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/steps/training_steps.h"
#include "tests/unit/analyzer/metrics/token_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Loop RequestsOf(const std::string& text) {
  const std::vector<CallToken> tokens = TokensFromText(text);
  return GradientRequests(tokens, TrainingSteps(tokens).passes);
}

std::vector<size_t> Begins(const std::string& text) {
  std::vector<size_t> begins;
  for (const TokenSpan& span : RequestsOf(text).passes) {
    begins.push_back(span.first);
  }
  return begins;
}

// A gradient by the input moves it; one kernel does.
const std::string kMove = "(a(b(c)c)b)aX";

TEST(GradientRequestsTest, SeveralGradientsOfOneInputAreOneRequest) {
  const std::string attack = "<" + Repeat(kMove, 4) + "^";
  EXPECT_THAT(Begins(Repeat(attack, 3)), ElementsAre(0, 30, 60));
  EXPECT_EQ(RequestsOf(Repeat(attack, 3)).other_count, 12u);
}

TEST(GradientRequestsTest, SoAreTheyWhereSomeGradientsAloneAreAddedUp) {
  const std::string once = "(a(b(c)c)b)a";
  EXPECT_THAT(Begins(Repeat("<" + once + "X" + Repeat(once, 2) + "X^", 3)),
              ElementsAre(0, 22, 44));
}

TEST(GradientRequestsTest, WhatIsAskedOfTheModelBesidesIsOfTheRequest) {
  const std::string attack = "<(a(b(c" + Repeat(kMove, 3) + "(a(b(c^";
  EXPECT_THAT(Begins(Repeat(attack, 4)), ElementsAre(0, 29, 58, 87));
}

TEST(GradientRequestsTest, WhatTeachesIsNotRead) {
  // A prompt, or a low-rank part, learns twice from each batch; a loss is read.
  EXPECT_THAT(Begins(Repeat("<" + Repeat(kMove + ">", 2), 9)), IsEmpty());
}

TEST(GradientRequestsTest, OneGradientForEachInputIsAnIteration) {
  EXPECT_THAT(Begins(Repeat("<" + kMove + "^", 9)), IsEmpty());
}

TEST(GradientRequestsTest, GradientsOfWeightsMakeIterations) {
  // By hand, of one vector of all weights; or by an optimizer's own kernel.
  const std::string by_hand = "(a(b(c)c)c)b)b)aX";
  EXPECT_THAT(Begins(Repeat("<" + Repeat(by_hand, 4) + "^", 3)), IsEmpty());
  EXPECT_THAT(Begins(Repeat("<" + Repeat("(a(b(c)c)b)aO", 4) + "^", 3)),
              IsEmpty());
}

TEST(GradientRequestsTest, AnInputNowAndThenIsNoRequest) {
  // Neighbours are listed anew for few of the steps.
  const std::string run = "<" + kMove + "<" + kMove + "<" + Repeat(kMove, 5);
  EXPECT_THAT(Begins(Repeat(run + "^", 3)), IsEmpty());
}

}  // namespace
}  // namespace dltap::analyzer
