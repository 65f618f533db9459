// SPDX-License-Identifier: Apache-2.0
// Collectives that were called and whose kernels the trace does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/collectives/collective_run.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kHead[] =
    "process pid=41 host=a rank=0\n"
    "device 0 name=gpu\n"
    "call t=0..3us ncclCommInitRank comm=1 nranks=4 rank=2 clique=5\n";
constexpr char kWork[] =
    "kernel t=1..2us device=0 stream=7 name=ampere_sgemm_128x64_nn\n";

std::string AllReduce(int at_us, bool has_kernel) {
  const std::string at = std::to_string(at_us);
  const std::string call = "call t=" + at + ".." + std::to_string(at_us + 3) +
                           "us ncclAllReduce comm=1 count=1000 datatype=7\n";
  if (!has_kernel) return call;
  const std::string corr = " corr=" + at;
  return call + "launchapi t=" + std::to_string(at_us + 1) + ".." +
         std::to_string(at_us + 2) + "us" + corr + " ext=" + at + "us\n" +
         "kernel t=" + std::to_string(at_us + 5) + ".." +
         std::to_string(at_us + 9) + "us device=0 stream=9" + corr +
         " name=ncclDevKernel_Any\n";
}

CollectiveRuns Found(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  return FindCollectives(model, Attribute(model));
}

std::vector<int64_t> NumbersOf(const std::vector<CollectiveRun>& runs) {
  std::vector<int64_t> numbers;
  for (const CollectiveRun& run : runs) numbers.push_back(run.nth);
  return numbers;
}

// A kernel may come long after its call.
TEST(UnendedCollectivesTest, ALaterPartHasTheKernel) {
  const std::string text =
      kHead + AllReduce(10, true) + AllReduce(20, true) + AllReduce(30, false);
  TraceModel model = TraceFromText(text);
  CollectiveFinder finder(model, 0);
  const std::vector<Activity> all = model.processes[0].activities;
  // In the first part the second one has not begun.
  ASSERT_EQ(all.size(), 2u);
  model.processes[0].activities = {all[0]};
  const Attribution first = Attribute(model);
  finder.Add(model.processes[0], first.processes[0],
             {{0, 25'000}, {{0, 20'000}}});
  model.processes[0].activities = all;
  const Attribution second = Attribute(model);
  finder.Add(model.processes[0], second.processes[0],
             {{25'000, 1'000'000}, {{20'000, 1'000'000}}});
  std::vector<CollectiveRuns> parts;
  parts.push_back(finder.Take());
  const CollectiveRuns joined = JoinRuns(model, std::move(parts));
  const CollectiveRuns whole = FindCollectives(model, second);
  EXPECT_EQ(joined.locals.size(), 1u);
  EXPECT_THAT(NumbersOf(joined.runs), ElementsAre(0, 1));
  EXPECT_THAT(NumbersOf(joined.unended), ElementsAre(2));
  EXPECT_EQ(NumbersOf(joined.runs), NumbersOf(whole.runs));
  EXPECT_EQ(NumbersOf(joined.unended), NumbersOf(whole.unended));
}

TEST(UnendedCollectivesTest, TheLastHasNoKernel) {
  const auto found = Found(kHead + AllReduce(10, true) + AllReduce(20, true) +
                           AllReduce(30, false));
  EXPECT_THAT(NumbersOf(found.runs), ElementsAre(0, 1));
  ASSERT_EQ(found.unended.size(), 1u);
  const CollectiveRun& hung = found.unended[0];
  EXPECT_EQ(hung.nth, 2);
  EXPECT_FALSE(hung.ended);
  EXPECT_EQ(hung.kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(hung.elements_in, 1000);
  EXPECT_EQ(hung.span.begin_ns, 30'000);
  EXPECT_EQ(found.locals[hung.local].ranks, 4);
  EXPECT_EQ(found.locals[hung.local].rank, 2);
}

TEST(UnendedCollectivesTest, ALostRecordKeepsItsPlaceAmongTheOthers) {
  const auto found = Found(kHead + AllReduce(10, true) + AllReduce(20, false) +
                           AllReduce(30, true));
  EXPECT_THAT(NumbersOf(found.runs), ElementsAre(0, 2));
  EXPECT_THAT(NumbersOf(found.unended), ElementsAre(1));
}

TEST(UnendedCollectivesTest, TheFirstOfAllIsOnTheOnlyDeviceThatWorks) {
  EXPECT_THAT(NumbersOf(Found(kHead + AllReduce(10, false) + kWork).unended),
              ElementsAre(0));
  // Whose kernels are not recorded, of that nothing can be said.
  EXPECT_THAT(Found(kHead + AllReduce(10, false)).unended, IsEmpty());
  const std::string two =
      "device 1 name=gpu\n"
      "kernel t=1..2us device=1 stream=7 name=ampere_sgemm_128x64_nn\n";
  EXPECT_THAT(Found(kHead + two + AllReduce(10, false) + kWork).unended,
              IsEmpty());
}

TEST(UnendedCollectivesTest, AGroupIsOneAndAFailedCallIsNone) {
  const std::string group =
      "call t=10..11us ncclGroupStart\n"
      "call t=12..13us ncclSend comm=1 count=10 datatype=7 peer=3\n"
      "call t=14..15us ncclRecv comm=1 count=10 datatype=7 peer=3\n"
      "call t=16..17us ncclGroupEnd\n";
  const auto found = Found(kHead + group + kWork);
  ASSERT_EQ(found.unended.size(), 1u);
  EXPECT_EQ(found.unended[0].kind, CollectiveKind::kSendReceive);
  EXPECT_THAT(found.unended[0].peers, ElementsAre(3));
  const std::string failed =
      "call t=10..11us ncclAllReduce failed comm=1 count=1000 datatype=7\n";
  EXPECT_THAT(Found(kHead + failed + kWork).unended, IsEmpty());
}

TEST(UnendedCollectivesTest, ThereAreNoneWhereKernelsWereNotRecordedToTheEnd) {
  const std::string work = AllReduce(10, true) + AllReduce(20, false);
  for (const char* why :
       {"level kernels until=22us\n", "level host until=0us\n",
        "not_observed t=15..30us device=0 cause=recording_off\n",
        "not_observed t=23..40us device=0 cause=yielded\n",
        "not_observed t=5..23us device=0 cause=dropped\n",
        "loss cupti_dropped 1\n", "loss flush_deadline 1\n"}) {
    EXPECT_THAT(Found(kHead + work + why).unended, IsEmpty()) << why;
  }
  // A killed process: its last records are missing, which others' tell.
  for (const char* other : {"not_observed t=15..30us device=0 "
                            "cause=after_watermark\n",
                            "not_observed t=1..15us device=0 cause=yielded\n",
                            "loss text_truncated 1\n"}) {
    EXPECT_THAT(NumbersOf(Found(kHead + work + other).unended), ElementsAre(1))
        << other;
  }
}

TEST(UnendedCollectivesTest, ALostRecordBeforeOthersKeepsItsPlaceAllTheSame) {
  const auto found = Found(kHead + AllReduce(10, true) + AllReduce(20, false) +
                           AllReduce(30, true) + "level kernels until=50us\n");
  EXPECT_THAT(NumbersOf(found.unended), ElementsAre(1));
}

TEST(UnendedCollectivesTest, WhatHasNoKernelAtAllIsNone) {
  const std::string empty =
      "call t=20..23us ncclAllReduce comm=1 count=0 datatype=7\n";
  EXPECT_THAT(Found(kHead + AllReduce(10, true) + empty).unended, IsEmpty());
  const std::string alone =
      "call t=4..5us ncclCommInitRank comm=2 nranks=1 rank=0 clique=6\n"
      "call t=20..23us ncclAllReduce comm=2 count=10 datatype=7\n";
  EXPECT_THAT(Found(kHead + alone + kWork).unended, IsEmpty());
}

TEST(UnendedCollectivesTest, AfterAPauseNobodyKnowsTheHowManieth) {
  const std::string pause =
      "not_observed t=15..30us device=0 cause=recording_off\n";
  EXPECT_THAT(
      NumbersOf(Found(kHead + AllReduce(10, true) + pause + AllReduce(40, true))
                    .runs),
      ElementsAre(0, -1));
  const std::string before =
      "not_observed t=-9..-1us device=0 cause=recording_off\n";
  EXPECT_THAT(NumbersOf(Found(kHead + before + AllReduce(10, true)).runs),
              ElementsAre(0));
}

}  // namespace
}  // namespace dltap::analyzer
