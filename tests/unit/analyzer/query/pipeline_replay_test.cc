// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/pipeline_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analyzer/query/what_if_stragglers.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using Kind = OperationKind;
using Operations = std::vector<PipelineOperation>;

// One worker's operations; ranks are replica * 10 + stage.
struct Worker {
  Operations& operations;
  int replica;
  int stage;
  int64_t step = 0;

  void Do(Kind kind, std::vector<std::pair<double, double>> spans) {
    for (int i = 0; i < static_cast<int>(spans.size()); ++i) {
      operations.push_back({.kind = kind,
                            .replica = replica,
                            .stage = stage,
                            .rank = replica * 10 + stage,
                            .step = step,
                            .sequence = i,
                            .global_chunk = stage,
                            .begin_s = spans[i].first,
                            .duration_s = spans[i].second - spans[i].first});
    }
  }
};

// Two stages, two micro-batches: forward 1 s, backward 2 s, messages 0.5 s,
// clipping 0.25 s, optimizer 1 s. A stage receives after the pass before.
void AddUsualReplica(Operations& operations, int replica, int64_t step = 0,
                     double wait = 0) {
  Worker first{operations, replica, 0, step};
  first.Do(Kind::kForwardCompute, {{0, 1}, {1, 2}});
  first.Do(Kind::kForwardSend, {{1, 1.5}, {2, 3}});
  first.Do(Kind::kBackwardReceive, {{1, 6.5}, {8.5, 9}});
  first.Do(Kind::kBackwardCompute, {{6.5, 8.5}, {9, 11}});
  first.Do(Kind::kClipGrads, {{11, 11.25 + wait}});
  first.Do(Kind::kOptimizer, {{11.25 + wait, 12.25 + wait}});
  Worker last{operations, replica, 1, step};
  last.Do(Kind::kForwardReceive, {{0, 1.5}, {2.5, 3}});
  last.Do(Kind::kForwardCompute, {{1.5, 2.5}, {3, 4}});
  last.Do(Kind::kBackwardCompute, {{4, 6}, {6, 8}});
  last.Do(Kind::kBackwardSend, {{6, 6.5}, {8, 9}});
  last.Do(Kind::kClipGrads, {{8, 11.25 + wait}});
  last.Do(Kind::kOptimizer, {{11.25 + wait, 12.25 + wait}});
}

// The same with forward passes of 2 s in the first stage.
void AddSlowReplica(Operations& operations, int replica) {
  Worker first{operations, replica, 0};
  first.Do(Kind::kForwardCompute, {{0, 2}, {2, 4}});
  first.Do(Kind::kForwardSend, {{2, 2.5}, {4, 4.5}});
  first.Do(Kind::kBackwardReceive, {{2, 8}, {10, 10.5}});
  first.Do(Kind::kBackwardCompute, {{8, 10}, {10.5, 12.5}});
  first.Do(Kind::kClipGrads, {{12.5, 12.75}});
  first.Do(Kind::kOptimizer, {{12.75, 13.75}});
  Worker last{operations, replica, 1};
  last.Do(Kind::kForwardReceive, {{0, 2.5}, {3.5, 4.5}});
  last.Do(Kind::kForwardCompute, {{2.5, 3.5}, {4.5, 5.5}});
  last.Do(Kind::kBackwardCompute, {{5.5, 7.5}, {7.5, 9.5}});
  last.Do(Kind::kBackwardSend, {{7.5, 8}, {9.5, 10.5}});
  last.Do(Kind::kClipGrads, {{9.5, 12.75}});
  last.Do(Kind::kOptimizer, {{12.75, 13.75}});
}

TEST(PipelineReplayTest, StepOfEqualWorkersIsItsOwnIdeal) {
  Operations operations;
  AddUsualReplica(operations, 0);
  AddUsualReplica(operations, 1);
  const auto replay = PipelineReplay::Make(operations, true);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_DOUBLE_EQ(replay->mean_recorded_s(), 12.25);
  const WhatIfStragglers found = FindStragglers(*replay);
  EXPECT_DOUBLE_EQ(found.replayed_s, 12.25);
  EXPECT_DOUBLE_EQ(found.ideal_s, 12.25);
  EXPECT_DOUBLE_EQ(found.worker_share, 0);
}

TEST(PipelineReplayTest, SlowWorkerIsFoundAndItsMendingWeighed) {
  Operations operations;
  AddUsualReplica(operations, 0, 0, 1.5);
  AddSlowReplica(operations, 1);
  const auto replay = PipelineReplay::Make(operations, true);
  ASSERT_TRUE(replay.ok()) << replay.status();
  const WhatIfStragglers found = FindStragglers(*replay);
  EXPECT_DOUBLE_EQ(found.replayed_s, 13.75);
  // Forward passes of 1.25 s: the mean.
  EXPECT_DOUBLE_EQ(found.ideal_s, 13);
  EXPECT_THAT(found.mended_workers, ElementsAre(10));
  // 12.5 s with the worker mended, better than ideal: (13.75 - 12.5) / 0.75.
  EXPECT_NEAR(found.worker_share, 5.0 / 3, 1e-9);
  EXPECT_GT(found.stage_shares[0], 1);
  EXPECT_LE(found.stage_shares[1], 0);
}

TEST(PipelineReplayTest, StepThatLacksAnOperationIsLeftOut) {
  Operations operations;
  for (const int64_t step : {3, 5}) AddUsualReplica(operations, 0, step);
  operations.pop_back();
  const auto replay = PipelineReplay::Make(operations, false);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_EQ(replay->steps(), 1);
  EXPECT_EQ(replay->left_out_steps(), 1);
}

TEST(PipelineReplayTest, MessagesThatFitNoPassAreAnError) {
  Operations operations;
  AddUsualReplica(operations, 0);
  Worker{operations, 0, 1}.Do(Kind::kForwardReceive,
                              {{0, 0}, {0, 0}, {0.1, 0.2}});
  EXPECT_FALSE(PipelineReplay::Make(operations, false).ok());
  EXPECT_FALSE(PipelineReplay::Make({}, false).ok());
}

TEST(PipelineReplayTest, MessageBeyondTheModelWaitsForNobody) {
  Operations operations;
  AddUsualReplica(operations, 0);
  // Recorded, although the last stage is followed by none.
  Worker{operations, 0, 1}.Do(Kind::kForwardSend, {{2.5, 2.6}, {4, 4.1}});
  const auto replay = PipelineReplay::Make(operations, false);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_DOUBLE_EQ(replay->MeanStep(replay->lengths()), 12.25);
}

TEST(PipelineReplayTest, SecondChunkOfAStageReceivesFromTheLastStage) {
  // Two chunks a stage, one micro-batch, 1 s each pass, messages 0.5 s:
  // chunks 0 2 and 1 3; four passes and three messages each way.
  Operations operations;
  for (int stage = 0; stage < 2; ++stage) {
    for (int i = 0; i < 2; ++i) {
      const int chunk = 2 * i + stage;
      const double begin = 1.5 * chunk;
      const auto add = [&](Kind kind, int order, int model, double at,
                           double length) {
        operations.push_back(
            {kind, 0, stage, stage, 0, order, model / 2, model, at, length});
      };
      add(Kind::kForwardCompute, i, chunk, begin, 1);
      add(Kind::kForwardSend, i, 0, begin + 1, chunk == 3 ? 0 : 0.5);
      if (chunk > 0) {
        add(Kind::kForwardReceive, stage == 0 ? 0 : i, 0, begin - 0.5, 0.5);
      }
      const int back = 3 - chunk;
      const double then = 5.5 + 1.5 * back;
      add(Kind::kBackwardCompute, 1 - i, chunk, then, 1);
      add(Kind::kBackwardSend, 1 - i, 0, then + 1, chunk == 0 ? 0 : 0.5);
      if (chunk < 3) {
        add(Kind::kBackwardReceive, stage == 1 ? 0 : 1 - i, 0, then - 0.5, 0.5);
      }
    }
  }
  const auto replay = PipelineReplay::Make(operations, false);
  ASSERT_TRUE(replay.ok()) << replay.status();
  // 8 passes and 6 messages one after another, but the middle: no message.
  EXPECT_DOUBLE_EQ(replay->MeanStep(replay->lengths()), 8 + 6 * 0.5);
}

}  // namespace
}  // namespace dltap::analyzer
