// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/training_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/metrics/steps/adaptations.h"
#include "analyzer/metrics/steps/join_parts.h"
#include "analyzer/metrics/steps/step_parts.h"
#include "tests/unit/analyzer/metrics/token_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;

// "first" of each span, with a letter for its use: 40 u, 52 e.
std::vector<std::string> Spans(std::string_view text) {
  std::vector<std::string> out;
  for (const TokenSpan& span : TrainingSteps(TokensFromText(text)).passes) {
    const char use = span.use == StepUse::kUsed          ? 'u'
                     : span.use == StepUse::kEvaluation  ? 'e'
                     : span.use == StepUse::kInterrupted ? 'x'
                                                         : 'i';
    out.push_back(std::to_string(span.first) + use);
  }
  return out;
}

size_t Parts(std::string_view text) {
  const std::vector<CallToken> tokens = TokensFromText(text);
  return PartsPerStep(tokens, TrainingSteps(tokens).passes);
}

TEST(TrainingStepsTest, AStepBeginsAfterTheUpdate) {
  EXPECT_THAT(Spans(Repeat("<(a)bU", 4)), ElementsAre("0u", "4u", "8u", "12u"));
}

TEST(TrainingStepsTest, ReadingTheLossIsPartOfTheStep) {
  EXPECT_THAT(Spans(Repeat("<(a)bU>", 3)), ElementsAre("0u", "5u", "10u"));
}

TEST(TrainingStepsTest, AnUpdateThatNothingTellsIsPartOfTheLastStepToo) {
  EXPECT_THAT(Spans(Repeat("<(a)bcd", 4)),
              ElementsAre("0u", "5u", "10u", "15u"));
}

TEST(TrainingStepsTest, WeightsThatAreSavedBehindTheLoopAreOfNoStep) {
  const auto end_of_last = [](std::string_view text) {
    return TrainingSteps(TokensFromText(text)).passes.back().end;
  };
  EXPECT_EQ(end_of_last(Repeat("<(a)bU>", 4) + ">>>>>>"), 20u);
  EXPECT_EQ(end_of_last(Repeat("<(a)bU", 4) + ">>>>"), 16u);
  // So many may be results; and an iteration is as long with its checkpoint.
  EXPECT_EQ(end_of_last(Repeat("<(a)bU", 4) + ">>"), 18u);
  const std::string saves = Repeat("<(a)bU", 4) + ">>>>";
  EXPECT_EQ(end_of_last(saves + saves), 40u);
}

TEST(TrainingStepsTest, AFlagThatIsReadBackWithTheLossIsPartOfTheStep) {
  EXPECT_THAT(Spans(Repeat("<(a)bU+>>", 3)), ElementsAre("0u", "7u", "14u"));
  // So is that of an evaluation, whose results are read late.
  const std::string epoch = Repeat("<(a)bU+>>", 4) + "<(a+>><(a+>>x>>";
  EXPECT_THAT(Spans(epoch + epoch),
              ElementsAre("0u", "7u", "14u", "21u", "28e", "41u", "48u", "55u",
                          "62u", "69e"));
  // The copy of the next batch is not, though the loss is read after it.
  EXPECT_THAT(Spans(Repeat("<(a)bU", 3) + "<>(a)bU"),
              ElementsAre("0u", "4u", "8u", "12u"));
}

TEST(TrainingStepsTest, SetUpBeforeTheLoopIsNoStep) {
  EXPECT_THAT(Spans("<x<x<xyz" + Repeat("<(a)bU", 3)),
              ElementsAre("8u", "12u", "16u"));
}

TEST(TrainingStepsTest, GradientsMayBeAccumulated) {
  EXPECT_THAT(Spans(Repeat("<(a)b<(a)b<(a)bU", 3)),
              ElementsAre("0u", "10u", "20u"));
}

TEST(TrainingStepsTest, ASumOfLossesAfterEveryBatchEndsNoStep) {
  // An update after two batches; the last group of the epoch has one.
  const std::string batch = "<(a)bSL";
  EXPECT_THAT(Spans(Repeat(batch + batch + "O", 2) + batch + "O" + "(a(a(a" +
                    Repeat(batch + batch + "O", 2)),
              ElementsAre("0u", "11u", "22u", "28e", "31u", "42u"));
}

TEST(TrainingStepsTest, GradientsLeftOverBelongToTheNextUpdate) {
  // An epoch of 14 batches, an update after four: two go over to the next.
  const std::string batch = "<(a)b";
  const std::string epoch =
      Repeat(Repeat(batch, 4) + "U", 3) + Repeat(batch, 2);
  EXPECT_THAT(Spans(epoch + epoch),
              ElementsAre("0u", "13u", "26u", "39u", "58u", "71u", "84i"));
}

TEST(TrainingStepsTest, AStepAroundAnEvaluationIsLeftOutWithIt) {
  // Five batches an epoch, an update after two, and no rest in between.
  const std::string batch = "<(a(c)c)a";
  const std::string passes = Repeat("<(a(c>", 4);
  const std::string epochs = Repeat(batch + batch + "U", 2) + batch + passes +
                             batch + "U" + Repeat(batch + batch + "U", 2) +
                             passes;
  EXPECT_THAT(Spans(epochs + epochs),
              ElementsAre("0u", "11u", "22x", "49u", "60u", "71e", "87u", "98u",
                          "109x", "136u", "147u", "158e"));
}

TEST(TrainingStepsTest, AGeneratorInFrontOfItsJudgeIsNoEvaluation) {
  // The gradients of what is real, then of what is made, are added up for the
  // judge; what is made is judged again for the generator.
  const std::string judge = "<(a(c)c)a(g(k(a(c)c)aU";
  const std::string maker = "(a(c)c)a)k)gU";
  const std::string epoch = Repeat(judge + maker, 6);
  EXPECT_THAT(Spans(epoch + "(g(k>" + epoch), Each(Not(EndsWith("x"))));
  EXPECT_EQ(Parts(epoch), 2);
  EXPECT_EQ(Parts(Repeat(judge + maker + maker, 6)), 3);
}

TEST(TrainingStepsTest, GradientsOfAnotherModelAreNoEvaluation) {
  // A policy plays, and is updated by hand, with gradients of gradients and
  // passes forward; then an optimizer updates what judges it four times.
  const std::string value = "(a(c)c)c)aU";
  const std::string policy = Repeat("<(a(b(c>", 6) + "<(a(b(c" +
                             Repeat(")c)c)b)b)a", 6) + Repeat("(a(b(c>", 3);
  const std::string iteration = policy + Repeat(value, 4);
  const std::string run = Repeat(iteration, 5);
  EXPECT_THAT(Spans(run), Each(Not(EndsWith("x"))));
  EXPECT_EQ(Parts(run), 4);
}

TEST(TrainingStepsTest, APassWithMoreInEachStepIsPartOfIt) {
  // Gradients of a model, then of one that takes its result.
  const std::string step = Repeat("<(a)a", 3) + "(g(a)g)aU";
  EXPECT_THAT(Spans(Repeat(step, 3)), ElementsAre("0u", "14u", "28u"));
}

TEST(TrainingStepsTest, GradientsOfAnotherRunThatIsReadAreEvaluation) {
  // A module gives loss and gradients, another one updates; evaluated is by the
  // first one, compiled for other sizes.
  const std::string epoch = Repeat("<|(a)b/|U/", 4) + "<|(c)d/>";
  EXPECT_THAT(Spans(Repeat(epoch, 3)),
              ElementsAre("0u", "4u", "8u", "12u", "16e", "20u", "24u", "28u",
                          "32u", "36e", "40u", "44u", "48u", "52u", "56e"));
  // Behind the last one more may be read.
  EXPECT_EQ(Spans(Repeat(epoch, 3) + ">>").back(), "56e");
  // Two runs add their gradients up.
  const std::string sum = "<|(a)b/<|(a)b/|U/";
  EXPECT_THAT(Spans(Repeat(Repeat(sum, 3) + "<|(a)b/>", 2)),
              ElementsAre("0u", "7u", "14u", "21u", "32u", "39u", "46i"));
}

TEST(TrainingStepsTest, BatchesWithoutUpdateAtTheEndBreakOff) {
  EXPECT_THAT(Spans(Repeat("<(a)bS<(a)bSO", 3) + "<(a)bS"),
              ElementsAre("0u", "9u", "18u", "27i"));
}

TEST(TrainingStepsTest, AnUpdateByHandBesideAnOptimizerEndsAStep) {
  EXPECT_THAT(Spans(Repeat("<(a)bO<(c)dH", 3)),
              ElementsAre("0u", "4u", "8u", "12u", "16u", "20u"));
}

TEST(TrainingStepsTest, UpdatesInTheMiddleOfTheBackwardPassEndNoStep) {
  EXPECT_THAT(Spans(Repeat("<(a(a(a)bU)bU)bU", 3)),
              ElementsAre("0u", "10u", "20u"));
}

TEST(TrainingStepsTest, WithoutUpdateTheBackwardPassEndsTheStep) {
  EXPECT_THAT(Spans(Repeat("<(a)b", 4)), ElementsAre("0u", "3u", "6u", "9u"));
}

TEST(TrainingStepsTest, AnUpdateThatNothingTellsEndsWithWhatTheHostReads) {
  const std::string epoch = Repeat("<(a)bxy>", 3) + Repeat("<(a>", 3);
  EXPECT_THAT(Spans(Repeat(epoch, 2)), ElementsAre("0u", "6u", "12u", "18e",
                                                   "27u", "33u", "39u", "45e"));
}

TEST(TrainingStepsTest, AnUpdateThatNothingTellsEndsBeforeTheNextBatch) {
  const std::string epoch = Repeat("<z(a)bxy", 3) + Repeat("<z(a", 3);
  EXPECT_THAT(Spans(Repeat(epoch, 2)), ElementsAre("0u", "6u", "12u", "18e",
                                                   "27u", "33u", "39u", "45e"));
}

TEST(TrainingStepsTest, AnEvaluationBehindEachUpdateIsOfThatStep) {
  const std::string step = "(a(c)c)aU";
  EXPECT_THAT(Spans(Repeat(step + "(a(ck>>", 5)),
              ElementsAre("0u", "10u", "20u", "30u", "40u"));
  EXPECT_EQ(
      TrainingSteps(TokensFromText(Repeat(step + "(a(ck>>", 5))).passes[4].end,
      50u);
  // It breaks off, or stands in front of each.
  EXPECT_THAT(Spans(Repeat(step + "(a(ck>>", 4) + step + "(a"),
              ElementsAre("0u", "5u", "15u", "25u", "35u", "45i"));
  EXPECT_THAT(Spans(Repeat("(a(ck>>" + step, 5)),
              ElementsAre("0u", "10u", "20u", "30u", "40u"));
}

TEST(TrainingStepsTest, EvaluationEndsWithWhatTheHostReads) {
  // Graphs run in any order: more or less comes before the first product.
  const std::string step = "yz(a)bx>";
  EXPECT_THAT(Spans("z(a)bxy>" + Repeat(step, 3) + "(a>(a>" + Repeat(step, 2)),
              ElementsAre("0u", "6u", "12u", "18u", "24e", "28u", "34u"));
}

TEST(TrainingStepsTest, WorkBesideTheUsualProductsIsNoPass) {
  // Graphs run in any order: x may come twice, in the middle of the pass.
  const std::string step = "x(a(b)b)a";
  EXPECT_THAT(Spans(Repeat(step, 3) + "x(ax(b)b)a" + Repeat(step, 2)),
              ElementsAre("0u", "5u", "10u", "15u", "21u", "26u"));
}

TEST(TrainingStepsTest, PassesForwardAmongStepsAreEvaluation) {
  const std::string epoch = Repeat("<(a)bU", 4) + Repeat("<(a>", 3);
  EXPECT_THAT(Spans(Repeat(epoch, 2)),
              ElementsAre("0u", "4u", "8u", "12u", "16e", "25u", "29u", "33u",
                          "37u", "41e"));
}

TEST(TrainingStepsTest, PassesEndWithWhatIsReadThoughAnAverageCameBeforeThem) {
  // An average of the weights follows each update; samples follow that of each
  // fourth one.
  const std::string step = "kkkkkk<(a(b)b)aO";
  const std::string samples = "kkkkkk" + Repeat("(a(b", 3) + ">";
  const std::string next = "<(a(b)b)aO" + Repeat(step, 3);
  EXPECT_THAT(Spans(Repeat(step, 4) + samples + next + samples + next),
              ElementsAre("0u", "12u", "24u", "36u", "48e", "61u", "67u", "79u",
                          "91u", "103e", "116u", "122u", "134u", "146u"));
}

TEST(TrainingStepsTest, APassOverTheStepsOwnInputIsPartOfIt) {
  // Hard examples are sought among those of each third batch, before it.
  const std::string step = "<<(a(c)c)aU";
  const std::string seeking = "<<(a(c>(a(c)c)aU";
  EXPECT_THAT(
      Spans(Repeat(Repeat(step, 2) + seeking, 3)),
      ElementsAre("0u", "7u", "14u", "24u", "31u", "38u", "48u", "55u", "62u"));
}

TEST(TrainingStepsTest, NorDoesAValueThatIsCopiedForItMakeItsInputAnother) {
  // Each fourth batch is blurred, by a filter and with a mean that is copied.
  const std::string step = "<++(a(c)c)aU";
  const std::string blurred = "<+(k+(a(c)c)aU";
  EXPECT_THAT(Spans(Repeat(Repeat(step, 3) + blurred, 3)),
              ElementsAre("0u", "8u", "16u", "24u", "33u", "41u", "49u", "57u",
                          "66u", "74u", "82u", "90u"));
}

TEST(TrainingStepsTest, PassesWithMoreInputThanAStepAreEvaluation) {
  // The next batch is copied before the evaluation.
  const std::string step = "(a(c)c)aU<";
  EXPECT_THAT(
      Spans(Repeat(Repeat(step, 3) + "<(a(c<(a(c", 2)),
      ElementsAre("0u", "5u", "11u", "17e", "24u", "29u", "35u", "41e"));
}

TEST(TrainingStepsTest, PassesOfOneModelAmongStepsOfTwoAreEvaluation) {
  // A teacher's pass and a student's, of the same calls; only a step copies.
  const std::string step = "<(a(c(a(c)c)aU";
  EXPECT_THAT(
      Spans(Repeat(step, 5) + "(a(c(a(c(a(c" + Repeat(step, 3)),
      ElementsAre("0u", "8u", "16u", "24u", "32u", "40e", "46u", "54u", "62u"));
}

TEST(TrainingStepsTest, PassesInFrontOfModelsThatTakeTurnsAreEvaluation) {
  // What makes and its judge, in the same calls; the judge is asked of batches.
  const std::string step = "(a(b(a)a)b)aO<(a(b(a(a)a)aO";
  EXPECT_THAT(Spans(Repeat(step, 4) + "<(a<(a<(a" + Repeat(step, 3)),
              ElementsAre("0u", "7u", "15u", "22u", "30u", "37u", "45u", "52u",
                          "60e", "66u", "73u", "81u", "88u", "96u", "103u"));
}

TEST(TrainingStepsTest, PassesInFrontOfOneOfThreeModelsAreEvaluation) {
  // Two judges, which are alike, are most updates.
  const std::string step = "<(a(b(a)a)b)aO" + Repeat("(c(c)c)cO", 2);
  const std::string epoch = Repeat(step, 4) + "(a(b>";
  EXPECT_THAT(Spans(Repeat(epoch, 4)), ::testing::SizeIs(4 * (12 + 1)));
}

TEST(TrainingStepsTest, AnEvaluationMayDeriveByItsInput) {
  // Forces: a step derives by the input, then by the weights.
  const std::string epoch =
      Repeat("<(a(b)b)a)c)dO", 4) + Repeat("<(a(b)b)a>", 2);
  EXPECT_THAT(Spans(epoch + epoch),
              ElementsAre("0u", "8u", "16u", "24u", "32e", "44u", "52u", "60u",
                          "68u", "76e"));
  // Unless it is not read: hard examples, made of inputs.
  const std::string hard = "<(a(b)b)a<(a(b)b)a)c)dO";
  EXPECT_THAT(
      Spans(Repeat(Repeat("<(a(b)b)a)c)dO", 3) + hard, 2)),
      ElementsAre("0u", "8u", "16u", "24u", "37u", "45u", "53u", "61u"));
}

TEST(TrainingStepsTest, AnEvaluationMayAdaptWeightsToItsTask) {
  // Each of two tasks: two gradients of the head, then one of all weights.
  const std::string adapt = "<(a(h)h(h)h(a(h";
  const std::string task = adapt + ")h)h)a)a)h)h";
  const std::string epoch = Repeat(task + task + "O", 3);
  const std::string look = adapt + ">";
  EXPECT_THAT(Spans(Repeat(epoch + look + look, 3)),
              ElementsAre("0u", "29u", "58u", "87e", "105u", "134u", "163u",
                          "192e", "210u", "239u", "268u", "297e"));
}

TEST(TrainingStepsTest, PassesOfAnotherKindAfterTheLastStepAreEvaluation) {
  const std::string step = "<(a(c)c)aU";
  EXPECT_THAT(Spans(Repeat(step, 3) + "<(c(c"),
              ElementsAre("0u", "6u", "12u", "18e"));
  EXPECT_THAT(Spans(Repeat(step, 3) + "<(a(c"),
              ElementsAre("0u", "6u", "12u", "18i"));
}

TEST(TrainingStepsTest, OnePassAfterTheLastStepIsAsThoseBetweenSteps) {
  const std::string step = "<(a(cl)c)aU";
  EXPECT_THAT(
      Spans(Repeat(Repeat(step, 3) + "<(a(cm>", 2)),
      ElementsAre("0u", "7u", "14u", "21e", "26u", "33u", "40u", "47e"));
  EXPECT_THAT(
      Spans(Repeat(step, 3) + "<(a(cm>" + Repeat(step, 3) + "<(a(cl"),
      ElementsAre("0u", "7u", "14u", "21e", "26u", "33u", "40u", "47i"));
}

TEST(TrainingStepsTest, EvaluationMayComeBeforeAShortStep) {
  // Steps of one or of four heads, each as often.
  const std::string small = "<(a(h)h)aU";
  const std::string large = "<(a(h(h(h(h)h)h)h)h)aU";
  EXPECT_THAT(Spans(large + small + large + large + small + large +
                    "<(a(h<(a(h" + small + large),
              ElementsAre("0u", "12u", "18u", "30u", "42u", "48u", "60e", "66u",
                          "72u"));
}

TEST(TrainingStepsTest, LongerIterationsAreNoEvaluation) {
  // Of a sequence of five in place of two, backward as well.
  const std::string step = "<(a(a)a)aU";
  EXPECT_THAT(Spans(Repeat(step, 4) + "<(a(a(a(a(a)a)a)a)a)aU" + step),
              ElementsAre("0u", "6u", "12u", "18u", "24u", "36u"));
}

TEST(TrainingStepsTest, TwoUpdatesMakeTwoSteps) {
  EXPECT_THAT(Spans("xyz" + Repeat("<(a)aU", 2)), ElementsAre("3u", "7u"));
}

TEST(TrainingStepsTest, RolloutsThatAreMostOfTheRunArePartOfTheSteps) {
  const std::string iteration = Repeat("<(a>", 40) + Repeat("<(a)bU", 2);
  EXPECT_THAT(Spans(Repeat(iteration, 4)),
              ElementsAre("0u", "128u", "256u", "384u"));
}

TEST(TrainingStepsTest, RolloutsAndAllUpdatesBehindThemAreOneStep) {
  // The updates learn from what the passes were given, or drew.
  for (const std::string& iteration :
       {Repeat("<(a>", 2) + Repeat("(a)bU", 4),
        Repeat("<(a?>", 2) + Repeat("<(a)bU", 3)}) {
    EXPECT_THAT(Spans(Repeat(iteration, 5)), ::testing::SizeIs(5)) << iteration;
    EXPECT_EQ(Spans(Repeat(iteration, 5))[0], "0u") << iteration;
  }
  const Loop loop = TrainingSteps(
      TokensFromText(Repeat(Repeat("<(a?>", 2) + Repeat("<(a)bU", 3), 5)));
  EXPECT_EQ(loop.other_count, 15);
}

TEST(TrainingStepsTest, UpdatesMaySampleTooWhereEqualRolloutsBeginTheRun) {
  // The policy is asked for actions again, to learn from those it took.
  const std::string iteration = Repeat("(a?", 4) + Repeat("(a?)bU", 6);
  const Loop loop = TrainingSteps(TokensFromText(Repeat(iteration, 5)));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(5));
  EXPECT_EQ(loop.other_count, 30);
  // An evaluation that samples, before each epoch: the updates have a batch.
  EXPECT_THAT(Spans(Repeat(Repeat("(a?", 4) + Repeat("<(a?)bU", 6), 5)),
              ::testing::SizeIs(5 * 6 + 4));
  // A sanity check, and an evaluation behind each epoch.
  const std::string epoch = Repeat("(a?)bU", 6) + Repeat("(a?", 4);
  EXPECT_THAT(Spans(Repeat("(a?", 2) + Repeat(epoch, 3) + "(a?)bU"),
              ::testing::SizeIs(3 * (6 + 1) + 1));
}

TEST(TrainingStepsTest, TwoUpdatesBehindEachRolloutAreOneStepWithIt) {
  // No iteration is usual: half of them have a rollout in front.
  for (const std::string& rollout : {Repeat("<(a?>", 2), Repeat("<(a?>", 20)}) {
    const Loop loop =
        TrainingSteps(TokensFromText(Repeat(rollout + Repeat("<(a)bU", 2), 6)));
    EXPECT_THAT(loop.passes, ::testing::SizeIs(6)) << rollout;
    EXPECT_EQ(loop.passes[0].first, 0) << rollout;
    EXPECT_EQ(loop.other_count, 12) << rollout;
  }
}

TEST(TrainingStepsTest, RolloutsOfAnyLengthAreInFrontOfAllTheirUpdates) {
  std::string run;
  for (const int length : {5, 9, 3, 12, 7, 4, 6}) {
    run += Repeat("<(a?>", length) + Repeat("(a)bU", 3);
  }
  EXPECT_THAT(Spans(run), ::testing::SizeIs(7));
}

TEST(TrainingStepsTest, AnEvaluationBeforeTheFirstStepIsNoRollout) {
  const std::string epoch = Repeat("<(a>", 2) + Repeat("<(a)bU", 4);
  EXPECT_THAT(Spans(Repeat(epoch, 2)),
              ElementsAre("6u", "10u", "14u", "18u", "22e", "28u", "32u", "36u",
                          "40u"));
}

TEST(TrainingStepsTest, NorIsAnEvaluationIfOnlyTheWeightsWereMadeBefore) {
  // An epoch's batches are copied at once.
  const std::string epoch = "<" + Repeat("(a)bU", 4) + Repeat("<(c>", 3);
  EXPECT_THAT(Spans("(x(x(x(x(x(x" + Repeat(epoch, 4)),
              ::testing::SizeIs(4 * (4 + 1)));
}

TEST(TrainingStepsTest, AnEvaluationLongerThanTrainingIsNoRollout) {
  const std::string epoch = Repeat("<(a)bU", 2) + Repeat("<(a>", 20);
  EXPECT_THAT(Spans(Repeat(epoch, 3)),
              ElementsAre("0u", "4u", "8e", "68u", "72u", "76e", "136u", "140u",
                          "144e"));
}

TEST(TrainingStepsTest, APassOverNumbersDrawnForItIsNoRollout) {
  // Each fourth time it is looked where anything is; a batch is copied for
  // each update.
  const std::string epoch = "?(c" + Repeat("<(a)bU", 4);
  EXPECT_THAT(Spans(Repeat(epoch, 5)), ::testing::SizeIs(5 * 4 + 4));
}

TEST(TrainingStepsTest, WhatIsWorkedOutBeforeEachEpochBeginsNoRollout) {
  // What was played is worth is worked out anew before each of three epochs.
  const std::string epoch = "(v(v" + Repeat("(a)bU", 2);
  const std::string iteration = Repeat("<(a?>", 20) + Repeat(epoch, 3);
  const Loop loop = TrainingSteps(TokensFromText(Repeat(iteration, 4)));
  EXPECT_THAT(loop.passes, ::testing::SizeIs(4));
  EXPECT_EQ(loop.passes.front().first, 0);
  EXPECT_EQ(loop.other_count, 24);
}

TEST(TrainingStepsTest, PassesInFrontOfUpdatesThatShareABatchAreNoRollouts) {
  // What judges takes one, the others learn from the same.
  const std::string step = "<(a(c)c)cO(a(d)a)aO(a)eO";
  const std::string epoch = Repeat("<(a>", 3) + Repeat(step, 4);
  EXPECT_THAT(Spans(Repeat(epoch, 4)), ::testing::SizeIs(4 * 12 + 3));
}

TEST(TrainingStepsTest, WhatTheEndOfAnEpisodeIsWorthIsOfItsStep) {
  // Asked behind the second of three plays, in each third step.
  const std::string play = "<(a(a(a?>";
  const std::string update = "<(a(a)b)b)b)bU";
  const std::string step = Repeat(play, 3) + update;
  const std::string with_end =
      Repeat(play, 2) + "<(a>" + "<(a>" + play + update;
  EXPECT_THAT(Spans(Repeat(Repeat(step, 2) + with_end, 3)),
              AllOf(::testing::SizeIs(9), Each(EndsWith("u"))));
  // More than half a step's products, and what stands in front, are passes.
  const std::string epoch = Repeat(step, 2) + Repeat("<(a>", 6) + step;
  EXPECT_THAT(Spans(Repeat(epoch, 3)), ::testing::SizeIs(12));
}

TEST(TrainingStepsTest, PlaysInFrontOfSomeUpdatesAreOfTheNextAlone) {
  // Elsewhere chance plays.
  std::string run;
  for (const int plays : {1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1}) {
    run += Repeat("<(a?>", plays) + "(a)bU";
  }
  EXPECT_THAT(Spans(run), ::testing::SizeIs(14));
}

TEST(TrainingStepsTest, HowLongARunIsDoesNotTellWhetherRolloutsAreMostOfIt) {
  const std::string iteration = Repeat("<(a>", 7) + Repeat("<(a)bU", 3);
  for (const int n : {4, 20}) {
    EXPECT_THAT(Spans(Repeat(iteration, n)),
                ::testing::Not(::testing::Contains(::testing::EndsWith("e"))))
        << n;
  }
}

TEST(TrainingStepsTest, RolloutsOfAnyLengthArePartOfTheStep) {
  std::string run;
  for (const int length : {5, 9, 3, 12, 7, 4, 6}) {
    run += Repeat("<(a>", length) + "z)bU";
  }
  EXPECT_THAT(TrainingSteps(TokensFromText(run)).passes, ::testing::SizeIs(7));
}

TEST(TrainingStepsTest, AStepThatBreaksOffIsIncomplete) {
  EXPECT_THAT(Spans(Repeat("<(a)bU", 3) + "<(a"),
              ElementsAre("0u", "4u", "8u", "12i"));
}

TEST(TrainingStepsTest, AReplayOfTheWholeStepIsAStep) {
  std::vector<CallToken> tokens = TokensFromText("<=<=<=<=");
  for (CallToken& token : tokens) {
    token.backward = token.update = token.whole;
  }
  EXPECT_THAT(TrainingSteps(tokens).passes, ::testing::SizeIs(4));
}

TEST(TrainingStepsTest, WhatNeverGoesBackwardIsNoTraining) {
  EXPECT_THAT(Spans(Repeat("<(a(b", 5)), IsEmpty());
}

TEST(StepPartsTest, AlikeStepsHaveOnePart) {
  EXPECT_EQ(Parts(Repeat("<(a)bU", 9)), 1);
}

TEST(StepPartsTest, OneOddStepMakesNoParts) {
  const std::string step = "<(a(b)b)aU";
  for (int before = 0; before < 12; ++before) {
    EXPECT_EQ(Parts(Repeat(step, before) + "<(a(b(x)b)aU" +
                    Repeat(step, 11 - before)),
              1)
        << before;
  }
}

TEST(StepPartsTest, FiveCriticsAndAGeneratorAreOneStep) {
  EXPECT_EQ(Parts(Repeat(Repeat("<(g(d)d)dU", 5) + "<(g(d)d)gU", 4)), 6);
}

TEST(StepPartsTest, ThreeOfOneModelAndTwoOfAnotherAreOneStep) {
  EXPECT_EQ(
      Parts(Repeat(Repeat("<(a(b)b)aU", 3) + Repeat("<(c(d(e)e)d)cU", 2), 6)),
      5);
}

TEST(StepPartsTest, CriticsOfTwoPassesEachAndAGeneratorOfOneAreOneStep) {
  EXPECT_EQ(Parts(Repeat(Repeat("<(a)a]x(a)a]xU", 3) + "(a)a]yU", 5)), 4);
}

TEST(StepPartsTest, LoopsThatTakeTurnsAreNoParts) {
  // A task is learned, then gradients are looked at; three tasks.
  EXPECT_EQ(Parts(Repeat(Repeat("<(a)bO", 20) + Repeat("<(a)bV", 10), 3)), 1);
  EXPECT_EQ(Parts(Repeat(Repeat("<(a)bO", 20) + "<(c)dV", 4)), 21);
}

TEST(StepPartsTest, ASmallerLastGroupOfAnEpochMakesNoParts) {
  // Ten batches an epoch, an update after four, four and two.
  const std::string batch = "<(a(b)b)a";
  EXPECT_EQ(Parts(Repeat(
                Repeat(Repeat(batch, 4) + "U", 2) + Repeat(batch, 2) + "U", 6)),
            1);
}

TEST(StepPartsTest, GradientsThatAreAddedUpMakeNoParts) {
  // All but the first batch of a group add theirs to what is there.
  const std::string first = "<(a(b)b)a";
  const std::string more = "<(a(b)b]s)a]s";
  const std::string group = first + Repeat(more, 3) + "U";
  EXPECT_EQ(Parts(Repeat(Repeat(group, 3) + first + more + "U", 4)), 1);
}

TEST(StepPartsTest, TwoPassesWithDifferentUpdatesAreOneStep) {
  // A step up to where the loss is worst, then back and down.
  EXPECT_EQ(Parts(Repeat("<(a)bNMU(a)bSU", 8)), 2);
}

TEST(StepPartsTest, ASumOfLossesThatBeginsAnewMakesNoParts) {
  // After each epoch of three the sum begins again with another kernel.
  EXPECT_EQ(Parts(Repeat("<(a)bOZ" + Repeat("<(a)bOS", 2), 6)), 1);
  EXPECT_EQ(Parts(Repeat("<(a)bUUZ" + Repeat("<(a)bUUS", 2), 6)), 1);
  // Of the loss and of the number of right answers.
  EXPECT_EQ(Parts(Repeat("<(a)bOYZ" + Repeat("<(a)bOST", 2), 6)), 1);
}

TEST(StepPartsTest, AnAscentByHandAndAnOptimizersDescentAreOneStep) {
  EXPECT_EQ(Parts(Repeat("<(a)bNMU(a)bO", 8)), 2);
}

TEST(StepPartsTest, WhatHoldsNoProductMakesNoParts) {
  EXPECT_EQ(Parts(Repeat(Repeat("<(a)bU", 4) + "<(a)bUEEEEs>", 4)), 1);
}

TEST(StepPartsTest, AFirstUpdateThatIsOtherwiseMakesNoParts) {
  // Matrices are taken apart by it, and by each tenth one beside the rest.
  EXPECT_EQ(
      Parts("<(a)bIIJJ" + Repeat("<(a)bPPQQ", 9) + "<(a)bPPQQIIJJ" +
            Repeat("<(a)bPPQQ", 9) + "<(a)bPPQQIIJJ" + Repeat("<(a)bPPQQ", 9)),
      1);
}

TEST(StepPartsTest, WeightsThatAreAdaptedToBeLookedAtAreNoSteps) {
  // Each step adapts them three times before its update.
  const std::string inner = "<(a)b)bH";
  const std::string step = Repeat(inner, 3) + "(c)d]bO";
  const std::string look = Repeat(inner, 5) + "(c>";
  const std::vector<CallToken> tokens =
      TokensFromText(Repeat(step, 4) + look + look + Repeat(step, 2));
  const std::vector<TokenSpan> iterations = TrainingSteps(tokens).passes;
  std::vector<size_t> lengths(4, 4);
  lengths.resize(4 + 10, 1);
  lengths.resize(4 + 10 + 2, 4);
  const std::vector<TokenSpan> steps = WithoutAdaptations(
      tokens, iterations, JoinedTo(lengths, tokens, iterations));
  ASSERT_THAT(steps, ::testing::SizeIs(4 + 2 + 2));
  EXPECT_EQ(std::ranges::count(steps, StepUse::kEvaluation, &TokenSpan::use),
            2);
  EXPECT_EQ(steps[4].use, StepUse::kEvaluation);
  EXPECT_EQ(steps[5].first, steps[4].end);
}

TEST(StepPartsTest, LengthsThatVaryMakeNoParts) {
  std::string run;
  for (const int length : {5, 9, 3, 12, 7, 4, 6, 11, 8, 3, 10}) {
    run += "<" + Repeat("(a", length) + Repeat(")b", length) + "U";
  }
  EXPECT_EQ(Parts(run), 1);
}

TEST(StepPartsTest, BatchesOfTasksThatTakeTurnsMayBeSteps) {
  const auto other_count = [](std::string_view step, size_t before = 0) {
    const std::vector<CallToken> tokens =
        TokensFromText(Repeat(step, 4).substr(before));
    const std::vector<TokenSpan> parts = TrainingSteps(tokens).passes;
    return PartsWithInput(tokens, parts, JoinedTo({2, 2, 2, 2}, tokens, parts));
  };
  EXPECT_EQ(other_count("<(a)bO<(c)dP"), 8);
  EXPECT_EQ(other_count("<(a)bO(c)dP"), 0);
  // The first batch may be copied with the weights, before the loop.
  EXPECT_EQ(other_count("<(a)bO<(c)dP", 1), 8);
}

TEST(TrainingStepsTest, ReadingAMeanAfterTheLastStepIsNoStep) {
  // A scan of 4 steps, the mean of whose losses is read; it begins the next.
  EXPECT_THAT(Spans(Repeat(Repeat("(a)bU", 4) + "xy>", 2)),
              ElementsAre("0u", "3u", "6u", "9u", "12u", "18u", "21u", "24u"));
}

TEST(TrainingStepsTest, APassWhoseGradientsFollowIsNoEvaluation) {
  // The discriminator sees two batches, the generator's step follows. No one
  // product has four gradients.
  const std::string critic = "<(dz(dz)d)d)d)dD";
  const std::vector<std::string> spans =
      Spans(Repeat("(dz)d)gG", 2) + Repeat(critic + "(dz)d)gG", 6));
  EXPECT_THAT(spans, ::testing::Each(::testing::EndsWith("u")));
}

TEST(TrainingStepsTest, TheLoopOfALargerModelIsNoEvaluation) {
  const std::string text = Repeat("<(a)aU", 20) + Repeat("<(a(a)a)aU", 10);
  std::vector<std::string> spans = Spans(text);
  ASSERT_EQ(spans.size(), 30);
  EXPECT_EQ(spans[20], "80u");
  EXPECT_EQ(spans[21], "86u");
}

}  // namespace
}  // namespace dltap::analyzer
