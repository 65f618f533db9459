// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/loop_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/analyzer/metrics/token_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<size_t> Starts(std::string_view letters) {
  std::vector<size_t> starts;
  for (const TokenSpan& span : LoopSteps(TokensFromText(letters)).passes) {
    starts.push_back(span.first);
  }
  return starts;
}

TEST(LoopFinderTest, AStepBeginsWithTheLongestPause) {
  EXPECT_THAT(Starts("ab.cdab.cdab.cdab.cd"), ElementsAre(2, 6, 10, 14));
}

TEST(LoopFinderTest, WhereNothingStandsOutAStepBeginsWhereTheLoopDoes) {
  // A set-up, then passes with pauses of which the last but one is longest.
  EXPECT_THAT(Starts("xyz" + Repeat("(a.(b.c..d.", 4)),
              ElementsAre(3, 7, 11, 15));
}

TEST(LoopFinderTest, WhereAPassIsFedOrReadItBeginsWhateverPausesInside) {
  EXPECT_THAT(Starts(Repeat("<(a...(bc>", 4)), ElementsAre(0, 5, 10, 15));
  EXPECT_THAT(Starts(Repeat("<(a...(bc", 4)), ElementsAre(0, 4, 8, 12));
  EXPECT_THAT(Starts(Repeat("(a...(bc>", 4)), ElementsAre(0, 4, 8, 12));
}

TEST(LoopFinderTest, OfWhatIsCopiedTheLongerPauseTellsWhereAPassBegins) {
  // Read in the middle, after the input; fed in the middle, before the result.
  EXPECT_THAT(Starts(Repeat("...<(a.(b>(cd", 4)), ElementsAre(0, 6, 12, 18));
  EXPECT_THAT(Starts(Repeat("...(a.(b<(cd>", 4)), ElementsAre(0, 6, 12, 18));
}

TEST(LoopFinderTest, NumbersCopiedWhileWeightsAreMadeAreNoPasses) {
  // Answers of a question and twenty tokens, whose positions are copied.
  const std::string answer = "<(p" + Repeat("<(a", 20) + "h>";
  EXPECT_THAT(Starts(Repeat("<w", 4) + Repeat(answer, 5)),
              AllOf(SizeIs(105), Contains(8), Not(Contains(6))));
  // Nor where a pass does, too, what makes a weight, but products as well.
  EXPECT_THAT(
      Starts(Repeat("<w", 2) + "<hw" + Repeat("<w", 2) + Repeat(answer, 5)),
      AllOf(SizeIs(105), Contains(11), Not(Contains(4))));
  // Two threads that take turns: the first input is of the second pass.
  EXPECT_THAT(Starts("<" + Repeat("<(a", 20) + "(a"), Contains(0));
}

TEST(LoopFinderTest, RepeatedLayersAreNotSteps) {
  // An embedding, three layers, a head, the answer.
  EXPECT_THAT(Starts(Repeat("(e(n(ran(ran(raho>", 4)), ::testing::SizeIs(4));
}

TEST(LoopFinderTest, APassMayMakeEachOfItsCallsSeveralTimes) {
  // Two equal layers, between equal transposes, with inputs and results.
  EXPECT_THAT(Starts("xy" + Repeat("<t<(r<(rcct>>>", 8)),
              ElementsAre(2, 14, 26, 38, 50, 62, 74, 86));
}

TEST(LoopFinderTest, EqualLayersWithoutAHeadAreNotSteps) {
  EXPECT_THAT(Starts(Repeat(Repeat("n(r(ra", 12) + "m>", 15)),
              ::testing::SizeIs(15));
}

TEST(LoopFinderTest, WhatHappensEveryThirdStepMakesNoOtherSteps) {
  std::string run;
  for (int step = 0; step < 12; ++step) {
    run += step % 3 == 2 ? "<(a(b(cds>" : "<(a(b(cd";
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(12));
}

TEST(LoopFinderTest, LengthsOfAnySizeWithAnExtraNowAndThenAreSteps) {
  std::string run;
  for (int step = 0; step < 60; ++step) {
    run += "<(e" + Repeat("(ab", 5 + 37 * step % 60) + "(h";
    if (step % 5 == 4) run += ">";
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(60));
}

TEST(LoopFinderTest, ExitsOnTheWayAreNoSteps) {
  // A stem, then blocks with a head each until one is sure of its answer.
  std::string run;
  for (const int exits : {1, 4, 2, 3, 1, 2, 4, 3, 2, 1, 4, 2}) {
    run += "<(c" + Repeat("(cr(cr(hs>", exits);
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(12));
}

TEST(LoopFinderTest, ExitsWithoutAStemAreNoSteps) {
  std::string run;
  for (const int exits : {1, 6, 2, 5, 1, 2, 6, 3, 1, 1, 6, 2}) {
    run += "<" + Repeat("(cr(crs(ht>", exits);
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_EQ(loop.passes.size(), 12);
  EXPECT_EQ(loop.other_count, 36);
}

// As many at once are batches of what was copied.
TEST(LoopFinderTest, AsManyAnswersToEachInputAreSteps) {
  EXPECT_THAT(Starts(Repeat("<" + Repeat("(cr(crs(ht>", 4), 6)),
              ::testing::SizeIs(24));
}

TEST(LoopFinderTest, ALargeModelThatASmallOneAsksNowAndThenMakesNoSteps) {
  std::string run;
  for (const int asks : {0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1}) {
    run += "<(cr(cs>";
    if (asks != 0) run += "(cr(cr(cr(ct>";
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(16));
}

TEST(LoopFinderTest, WhatMostRequestsDoBesideTheOthersMakesNoSteps) {
  // Of more than one row the last ones are copied.
  std::string run;
  for (const int rows : {1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1}) {
    run += "<(a(bs(a(bs" + Repeat("c", rows) + "m>";
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(16));
}

TEST(LoopFinderTest, RequestsOfTwoKindsInAnyOrderAreSteps) {
  std::string run;
  for (const int kind : {0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1}) {
    run += kind == 0 ? "<(cr(cr(cr(hm>" : "<e(a(bs(a(bs(a(bsm>";
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(16));
  EXPECT_EQ(loop.other_count, 0);
}

TEST(LoopFinderTest, KindsThatTakeTurnsAreOneRequest) {
  // A question is embedded, what was found is copied, and an answer generated
  // token by token, each of which copies a flag.
  std::string run;
  for (const int tokens : {16, 24, 20, 28, 16, 24, 20, 28}) {
    run += "<(e(a(b(e(a(b(e(a(bh><" + Repeat("(e<(a(bs>", tokens);
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(8));
  EXPECT_EQ(loop.other_count, 176);
}

TEST(LoopFinderTest, TokensThatTheHostHandsBackAreNoInputs) {
  // A question is embedded; then each token is read, and copied for the next.
  std::string run;
  for (const int tokens : {8, 12, 9, 15, 10, 8, 16, 11, 13, 9, 14, 8}) {
    run += "<(e(x(y(x(yn><(g(a(bh>" + Repeat("+(g(a(bh>", tokens - 1);
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(12));
  EXPECT_GE(loop.other_count, 133);  // the tokens
  // Few tokens: they are no requests of a kind of their own.
  run.clear();
  for (const int tokens : {2, 3, 2, 4, 3, 2, 3, 3, 4, 2, 3, 2}) {
    run += "<(e(x(y(x(yn><(g(a(bh>" + Repeat("+(g(a(bh>", tokens - 1);
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(12));
}

TEST(LoopFinderTest, TokensOfSomeRequestsAreNoSteps) {
  // Tokens that are read one by one, and images.
  std::string run;
  for (const int tokens : {4, 0, 6, 3, 0, 5, 0, 0, 7, 3, 0, 4, 5, 0, 6, 3}) {
    run += tokens == 0 ? "<(cr(cr(cr(hm>" : "<" + Repeat("(e(asm>", tokens);
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(16));
  EXPECT_GT(loop.other_count, 16);
}

TEST(LoopFinderTest, WhatIsAskedAboutEachInputMakesNoSteps) {
  // Parts of an image, as many as were found in it.
  std::string run;
  for (const int parts : {2, 4, 1, 3, 2, 5, 2, 1, 6, 3}) {
    run += "<(cr(cr(cr(cr(h>" + Repeat("<(as>", parts);
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(10));
}

TEST(LoopFinderTest, InnerLoopsMayVaryInLength) {
  std::string run;
  for (const int length : {9, 14, 7, 20, 11, 8}) {
    run += "<(e" + Repeat("(t(us", length) + "(h>";
  }
  EXPECT_THAT(Starts(run), ::testing::SizeIs(6));
}

TEST(LoopFinderTest, OfLengthsThatVaryTheLastMayBeTheLongestOrTheShortest) {
  for (const int last : {17, 4}) {
    for (const std::string begin : {"(e", "<(e"}) {
      std::string run;
      for (const int length : {15, 9, 14, 7, 11, 8, last}) {
        run += begin + Repeat("(t(us", length) + "(h>";
      }
      const auto spans = LoopSteps(TokensFromText(run)).passes;
      ASSERT_EQ(spans.size(), 7) << begin << last;
      EXPECT_EQ(spans.front().first, 0) << begin << last;
      EXPECT_EQ(spans.back().use, StepUse::kUsed) << begin << last;
    }
  }
}

// Sequences of eight tokens; the first has no keys and values to append to.
std::string Sequences(const std::string& before_first,
                      const std::string& inside, const std::string& at_end) {
  std::string run;
  for (int sequence = 0; sequence < 3; ++sequence) {
    run += before_first + "z(e(qs(om";
    for (int token = 1; token < 8; ++token) {
      // Another place in each sequence.
      run += token == 2 + sequence ? "(e(q" + inside + "ccs(om" : "(e(qccs(om";
    }
    run += at_end;
  }
  return run;
}

TEST(LoopFinderTest, PausesHereAndThereDecideNothing) {
  for (const char* inside : {"", ".", "....", "...................."}) {
    const Loop loop = LoopSteps(TokensFromText(Sequences("", inside, "")));
    EXPECT_EQ(loop.passes.size(), 3) << inside;
    EXPECT_EQ(loop.other_count, 24) << inside;
  }
}

TEST(LoopFinderTest, WhatSequencesGiveAndTakeTellsThemFromTokens) {
  const Loop loop = LoopSteps(TokensFromText(Sequences("<", "", ">")));
  EXPECT_EQ(loop.passes.size(), 3);
  EXPECT_EQ(loop.other_count, 0);
}

TEST(LoopFinderTest, TokensThatAreReadOneByOneAreStepsOrTheirSequences) {
  std::string run;
  for (int sequence = 0; sequence < 6; ++sequence) {
    run += "<" + Repeat("(e(qs(om>", 12);
  }
  const Loop loop = LoopSteps(TokensFromText(run));
  EXPECT_EQ(loop.passes.size(), 72);
  EXPECT_EQ(loop.other_count, 6);
}

TEST(LoopFinderTest, AnExtraNowAndThenIsNoOtherReading) {
  std::string run;
  for (int step = 0; step < 40; ++step) {
    run += step % 10 == 9 ? "<(a(b(cds>" : "<(a(b(cd";
  }
  EXPECT_EQ(LoopSteps(TokensFromText(run)).other_count, 0);
}

TEST(LoopFinderTest, ReplaysOfAGraphAreSteps) {
  EXPECT_THAT(Starts("(a(b(a(b(a(b" + Repeat("=", 30)), ::testing::SizeIs(30));
}

TEST(LoopFinderTest, WhatFollowsTheLoopIsNotPartOfItsLastStep) {
  const auto spans = LoopSteps(TokensFromText(Repeat("<(a(b(cd", 6) +
                                              "(x(y(z(x(y(z(x(y(z(x(y(z"))
                         .passes;
  ASSERT_EQ(spans.size(), 6);
  EXPECT_EQ(spans.back().end - spans.back().first,
            spans.front().end - spans.front().first);
}

TEST(LoopFinderTest, AnotherLoopWithTheSameCopiesLeavesTheEdgesAsTheyAre) {
  EXPECT_THAT(Starts(Repeat("<(a(b(c(d.(e>", 4) + Repeat("<(f>", 6)),
              ElementsAre(0, 7, 14, 21));
}

TEST(LoopFinderTest, ARowOfCopiesIsNoLoop) {
  EXPECT_THAT(Starts("1111111111111111"), IsEmpty());
}

TEST(LoopFinderTest, WhatDoesNotRepeatHasNoSteps) {
  EXPECT_THAT(Starts("abcdefgh"), IsEmpty());
  EXPECT_THAT(Starts(""), IsEmpty());
}

TEST(LoopFinderTest, TwoPassesAndTheBeginOfAThirdAreNoLoop) {
  const std::string pass = "(a(b(c(d(e(f(g(h(i(j(k(l";
  EXPECT_THAT(Starts(pass + "." + pass + ".(a"), IsEmpty());
}

TEST(LoopFinderTest, AFirstPassMayLackWhatMarksTheOthers) {
  // Its rows are read by another kernel, and nothing tells where it begins.
  const std::string first = "xyz(e(n(r(h(mst";
  EXPECT_THAT(Starts("<" + first + "." + Repeat("c(e(n(r(h(mus.", 20)),
              ::testing::SizeIs(21));
  // A set-up with as many calls is no pass.
  EXPECT_THAT(Starts("<xyzuvw(e(n." + Repeat("c(e(n(r(h(mus.", 20)),
              ::testing::SizeIs(20));
}

TEST(LoopFinderTest, CallsThatNobodyRecordsMakeLayersNoSteps) {
  // A residual network: convolution, norm, activation, cast. Before each
  // product the host prepares it by calls of a fixed cost that are not
  // recorded, and before no other call it does anything.
  const std::string layer = ",(fcgia";
  const std::string added = ",(fcgkia";
  const std::string wider = layer + ",(fcga,(fkia" + layer + added;
  EXPECT_THAT(Starts(Repeat("aa" + layer + layer + added + layer + added +
                                wider + wider + wider + "l,(mn>",
                            6)),
              ::testing::SizeIs(6));
}

TEST(LoopFinderTest, TheMarkMayEndThePasses) {
  // The answer is read after a pause, and is the last of its pass.
  const std::string pass = "(a(b(c(d(e(f(g(h(i(j(k(l.>";
  EXPECT_THAT(Starts(Repeat(pass, 3)), ElementsAre(0, 13, 26));
}

}  // namespace
}  // namespace dltap::analyzer
