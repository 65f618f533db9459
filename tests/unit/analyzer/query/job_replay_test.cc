// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/job_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/query/engine_answer.h"
#include "analyzer/query/own_clock.h"
#include "analyzer/query/what_if_ranks.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;

DeviceActivity Work(int64_t begin_ns, int64_t end_ns, int64_t asked_ns = 0) {
  return {.stream = 7,
          .begin_ns = begin_ns,
          .end_ns = end_ns,
          .is_communication = false,
          .asked_ns = asked_ns};
}

DeviceActivity Communication(int64_t begin_ns, int64_t end_ns,
                             int64_t asked_ns = 0) {
  return {.stream = 8,
          .begin_ns = begin_ns,
          .end_ns = end_ns,
          .is_communication = true,
          .asked_ns = asked_ns};
}

TEST(OwnClockTest, StandsWhileADeviceOnlyCommunicates) {
  const OwnClock clock({Communication(0, 100), Work(20, 40), Work(60, 80),
                        Communication(90, 120), Work(200, 210)});
  EXPECT_EQ(clock.At(20), 0);
  EXPECT_EQ(clock.At(40), 20);
  EXPECT_EQ(clock.At(50), 20);
  EXPECT_EQ(clock.At(80), 40);
  EXPECT_EQ(clock.At(120), 40);
  EXPECT_EQ(clock.At(200), 120);
  EXPECT_FALSE(clock.GoesOnAt(70));
  EXPECT_TRUE(clock.GoesOnAt(120));
}

TEST(ReadyTimesTest, AQueuedCollectiveWasReadyWhenWorkBeforeItWasDone) {
  // The third was asked for before the work that ends at 80, the fourth after
  // it; the last found its stream free.
  const int64_t ms = 1'000'000;
  const std::vector<int64_t> ready =
      ReadyTimes({Work(0, 10 * ms, 1), Communication(10 * ms, 90 * ms, 2),
                  Work(11 * ms, 80 * ms, 4), Communication(90 * ms, 95 * ms, 3),
                  Communication(95 * ms, 99 * ms, 5),
                  Communication(120 * ms, 121 * ms, 6)});
  EXPECT_THAT(ready, ElementsAre(-1, 10 * ms, -1, 10 * ms, 80 * ms, 120 * ms));
}

TEST(ReadyTimesTest, CollectivesOfAStreamBecomeReadyInTheirOrder) {
  // A send that waited for what no kernel tells, and one asked for meanwhile.
  const int64_t ms = 1'000'000;
  EXPECT_THAT(
      ReadyTimes({Work(0, 3 * ms, 1), Communication(10 * ms, 20 * ms, 2),
                  Communication(20 * ms, 21 * ms, 3)}),
      ElementsAre(-1, 10 * ms, 10 * ms));
}

ReplayTaking Taking(uint32_t collective, double ready, double resumed,
                    int64_t ready_ns, int64_t end_ns) {
  return {.collectives = {collective},
          .parts = {0},
          .stream = 0,
          .ready = ready,
          .resumed = resumed,
          .ready_ns = ready_ns,
          .end_ns = end_ns};
}

ReplayRank Rank(int64_t rank, std::vector<ReplayTaking> takings, double end,
                int64_t recorded_ns) {
  return {.rank = rank,
          .takings = std::move(takings),
          .steps = {{.begin = 0, .end = end, .recorded_ns = recorded_ns}}};
}

// Three ranks reduce two buckets; the first hides behind work. Rank 2 takes
// 300 until the first where others take 100, and 100 more until the second.
ReplayJob OverlappedJob() {
  ReplayJob job;
  for (int64_t rank = 0; rank < 3; ++rank) {
    const double late = rank == 2 ? 200 : 0;
    job.ranks.push_back(
        Rank(rank,
             {Taking(0, 100 + late, -1, 100 + static_cast<int64_t>(late), 340),
              Taking(1, 200 + late, 200 + late,
                     200 + static_cast<int64_t>(late), 420)},
             210 + late, 430));
  }
  job.collectives = {{.members = 3, .alike = 0, .transfer = 40},
                     {.members = 3, .alike = 1, .transfer = 20}};
  return job;
}

TEST(JobReplayTest, WhatWasHiddenBehindAStragglerIsPaidWithoutIt) {
  const WhatIfRanks found = FindSlowRanks(OverlappedJob());
  EXPECT_EQ(found.replayed_ns, 430);
  // 100 + 100 of work, the second bucket's 20 and 10 after it.
  EXPECT_EQ(found.ideal_ns, 230);
  EXPECT_THAT(found.mended_ranks, ElementsAre(2));
  EXPECT_EQ(found.mended_share, 1);
  EXPECT_EQ(found.transfer_share, 0);
  EXPECT_EQ(found.stuck_ranks, 0);
}

TEST(JobReplayTest, CollectivesOfOneStreamFollowEachOther) {
  ReplayJob job = OverlappedJob();
  job.collectives[0].transfer = 150;
  EXPECT_EQ(FindSlowRanks(job).replayed_ns, 300 + 150 + 20 + 10);
}

TEST(JobReplayTest, WhoWaitsForAMemberThatNeverComesIsCounted) {
  ReplayJob job = OverlappedJob();
  job.ranks[2].takings.clear();
  EXPECT_EQ(FindSlowRanks(job).stuck_ranks, 2);
}

TEST(JobReplayTest, AStepThatNobodyElseRanStaysAsItWas) {
  ReplayJob job = OverlappedJob();
  job.ranks[2].takings[0].parts = {5};
  const WhatIfRanks found = FindSlowRanks(job);
  EXPECT_EQ(found.unlike_steps, 1);
  EXPECT_EQ(found.ideal_ns, found.replayed_ns);
}

// Ranks that reduce once a step after that much work of their own.
ReplayJob ReducingJob(const std::vector<std::vector<double>>& work) {
  ReplayJob job;
  job.collectives.resize(work[0].size(),
                         {static_cast<uint32_t>(work.size()), 0, 10});
  for (size_t rank = 0; rank < work.size(); ++rank) {
    ReplayRank& out = job.ranks.emplace_back();
    out.rank = static_cast<int64_t>(rank);
    double own = 0;
    for (uint32_t step = 0; step < work[rank].size(); ++step) {
      const double begin = own;
      own += work[rank][step];
      out.takings.push_back(
          Taking(step, own, own, step * 1000, step * 1000 + 500));
      out.takings.back().ready -= 1;
      out.takings.back().resumed -= 1;
      out.steps.push_back(
          {.step = step, .begin = begin, .end = own, .recorded_ns = 0});
    }
  }
  return job;
}

TEST(JobReplayTest, OfTwoRanksTheFasterIsUsual) {
  const WhatIfRanks found =
      FindSlowRanks(ReducingJob({{100, 100, 100}, {150, 150, 150}}));
  EXPECT_EQ(found.replayed_ns, 160);
  EXPECT_EQ(found.ideal_ns, 110);
  EXPECT_EQ(found.alone, 0);
  EXPECT_THAT(found.mended_ranks, ElementsAre(1));
}

TEST(JobReplayTest, HalfOfTheRanksThatAreSlowAreSlow) {
  const WhatIfRanks found =
      FindSlowRanks(ReducingJob({{100}, {100}, {150}, {150}}));
  EXPECT_EQ(found.ideal_ns, 110);
}

TEST(JobReplayTest, WhatNobodyElseDoesIsCounted) {
  ReplayJob job = ReducingJob({{100, 150, 150}, {100, 100, 100}});
  for (ReplayTaking& taking : job.ranks[0].takings) taking.parts = {7};
  const WhatIfRanks found = FindSlowRanks(job);
  EXPECT_EQ(found.alone, 2);
  EXPECT_EQ(found.devices, 2);
  EXPECT_LT(found.slowdown(), 1);
  EXPECT_FALSE(found.Share(found.own_share));
}

TEST(JobReplayTest, DevicesOfOneRankHaveTheirNumbers) {
  ReplayJob job = ReducingJob({{100}, {100}, {150}});
  job.ranks[2].rank = 1;
  job.ranks[2].device = 1;
  const WhatIfRanks found = FindSlowRanks(job);
  EXPECT_EQ(NameOf(found.ranks[0]), "rank 1 device 1");
  EXPECT_EQ(NameOf({.rank = 3}), "rank 3");
}

TEST(OwnWorkTest, IsStraightBetweenPointsAndShiftedOutside) {
  OwnWork own;
  EXPECT_EQ(own.At(5), 5);
  own.Add(10, 20);
  own.Add(20, 25);
  EXPECT_EQ(own.At(0), 10);
  EXPECT_EQ(own.At(15), 22.5);
  EXPECT_EQ(own.At(30), 35);
}

// Writes what it is given as text.
class Printed : public RowSink {
 public:
  std::string text;
  void Text(std::string_view value) override { text.append(value) += ' '; }
  void Integer(int64_t value) override { text += std::to_string(value) + ' '; }
  void Real(double value) override { text += std::to_string(value) + ' '; }
  void Flag(bool value) override { text += value ? "yes " : "no "; }
  void Null() override { text += "null "; }
  void EndRow() override { text += "; "; }
};

TEST(EngineAnswerTest, GivesEachColumnAsItsType) {
  Printed rows;
  std::string names;
  const auto begin = [&](const ResultColumns& columns) -> RowSink& {
    for (const TypedColumn& column : columns) names.append(column.name) += ' ';
    return rows;
  };
  const absl::Status status = ReadEngineAnswer(
      R"({"columns": [["a", "integer"], ["b", "real"], ["c", "flag"],
                      ["d", "text"]],
          "rows": [[1, 2, true, "x"], [null, "inf", null, null]]})",
      begin);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(names, "a b c d ");
  EXPECT_EQ(rows.text, "1 2.000000 yes x ; null inf null null ; ");
}

TEST(EngineAnswerTest, RefusesWhatIsNone) {
  Printed rows;
  const auto begin = [&](const ResultColumns&) -> RowSink& { return rows; };
  for (const char* text :
       {"", "[]", R"({"columns": []})",
        R"({"columns": [["a", "integer"]], "rows": [[1, 2]]})",
        R"({"columns": [["a", "integer"]], "rows": [["x"]]})"}) {
    EXPECT_EQ(ReadEngineAnswer(text, begin).code(), absl::StatusCode::kDataLoss)
        << text;
  }
}

}  // namespace
}  // namespace dltap::analyzer
