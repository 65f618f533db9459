// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/sliced_trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/reader/trace_reader.h"
#include "shim/trace/checksum.h"
#include "shim/trace/layout.h"
#include "tests/bench/training_trace.h"
#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

void MakeOfAnotherProcess(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  trace::FileHeader header;
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  ++header.pid;
  header.checksum = trace::Checksum(header);
  file.seekp(0);
  file.write(reinterpret_cast<const char*>(&header), sizeof(header));
}

class SlicedTraceTest : public ::testing::Test {
 protected:
  SlicedTraceTest() {
    const std::string path = dir_.path() + "/run.dltap";
    WriteTrainingTrace(path, 50'000);
    whole_ = *ReadTrace({path}, &problems_);
    sliced_.emplace(*OpenTraceFiles({path}, &problems_), &problems_);
  }
  const Process& whole() const { return whole_.processes[0]; }
  const Process& kept() const { return sliced_->model().processes[0]; }
  static size_t EventsOf(const Process& process) {
    return process.calls.size() + process.launches.size() +
           process.activities.size();
  }

  TempDir dir_;
  std::vector<std::string> problems_;
  TraceModel whole_;
  std::optional<SlicedTrace> sliced_;
};

TEST_F(SlicedTraceTest, CountsWhatItHasNotInMemory) {
  EXPECT_EQ(EventsOf(kept()), 0);
  const EventTotals& totals = sliced_->TotalsOf(0);
  EXPECT_EQ(totals.calls, whole().calls.size());
  EXPECT_EQ(totals.launches, whole().launches.size());
  EXPECT_EQ(totals.activities, whole().activities.size());
  EXPECT_EQ(totals.of_device, std::vector<uint64_t>{totals.activities});
  EXPECT_EQ(totals.captures.size(), 1);
  EXPECT_EQ(kept().begin_ns, whole().begin_ns);
  EXPECT_EQ(kept().end_ns, whole().end_ns);
  EXPECT_EQ(kept().losses.size(), whole().losses.size());
  EXPECT_EQ(kept().cpu_samples.size(), whole().cpu_samples.size());
  EXPECT_EQ(kept().graph_nodes.size(), whole().graph_nodes.size());
}

TEST_F(SlicedTraceTest, ThePartsHoldEachEventOnce) {
  std::vector<Call> calls;
  std::vector<Activity> activities;
  size_t launches = 0;
  int reads = 0;
  for (int64_t at = std::numeric_limits<int64_t>::min(); at != kEnd; ++reads) {
    const int64_t end = sliced_->TimeAfter(0, at, 10'000);
    const Process part = sliced_->Read(0, {{at, end}});
    EXPECT_LT(EventsOf(part), 12'000);
    calls.insert(calls.end(), part.calls.begin(), part.calls.end());
    activities.insert(activities.end(), part.activities.begin(),
                      part.activities.end());
    launches += part.launches.size();
    at = end;
  }
  EXPECT_GE(reads, 5);
  EXPECT_EQ(launches, whole().launches.size());
  ASSERT_EQ(calls.size(), whole().calls.size());
  ASSERT_EQ(activities.size(), whole().activities.size());
  std::ranges::stable_sort(calls, {}, [](const Call& c) {
    return std::tuple(c.thread, c.begin_ns, c.depth);
  });
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].begin_ns, whole().calls[i].begin_ns);
    EXPECT_EQ(calls[i].end_ns, whole().calls[i].end_ns);
    EXPECT_EQ(calls[i].function, whole().calls[i].function);
  }
  for (size_t i = 0; i < activities.size(); ++i) {
    EXPECT_EQ(activities[i].begin_ns, whole().activities[i].begin_ns);
    EXPECT_EQ(activities[i].correlation, whole().activities[i].correlation);
  }
}

TEST_F(SlicedTraceTest, TheModelStaysWithoutEvents) {
  const size_t ranges = kept().ranges.size();
  EXPECT_GT(EventsOf(sliced_->Read(0, {{whole().begin_ns, kEnd}})), 0);
  EXPECT_EQ(EventsOf(kept()), 0);
  EXPECT_EQ(kept().ranges.size(), ranges);
  EXPECT_EQ(kept().cpu_samples.size(), whole().cpu_samples.size());
  EXPECT_EQ(kept().graph_nodes.size(), whole().graph_nodes.size());
  sliced_->SetRank(0, 3, 8);
  const Process again = sliced_->Read(0, {{whole().begin_ns, kEnd}});
  EXPECT_EQ(again.rank, 3);
  EXPECT_EQ(again.world_size, 8);
  EXPECT_EQ(again.calls.size(), whole().calls.size());
  EXPECT_EQ(again.cpu_samples.size(), whole().cpu_samples.size());
}

// They are read with the slice, for there may be more of them than of all else.
TEST_F(SlicedTraceTest, ThePartsHoldWhenThreadsWereOffTheCpu) {
  ASSERT_GT(whole().off_cpu.size(), 100);
  EXPECT_TRUE(kept().off_cpu.empty());
  const int64_t begin = whole().begin_ns;
  const int64_t middle = begin + (whole().end_ns - begin) / 2;
  for (const TimePart part :
       {TimePart{begin, middle}, TimePart{middle, whole().end_ns}}) {
    const Process read = sliced_->Read(0, {part});
    const auto overlaps = [&part](const auto& span) {
      return span.end_ns >= part.begin_ns && span.begin_ns < part.end_ns;
    };
    const auto expected = [&](const auto& spans) {
      return std::ranges::count_if(spans, overlaps);
    };
    EXPECT_EQ(read.off_cpu.size(), expected(whole().off_cpu));
    EXPECT_EQ(read.switches_known.size(), expected(whole().switches_known));
    size_t at = 0;
    for (const OffCpu& off : whole().off_cpu) {
      if (!overlaps(off)) continue;
      EXPECT_EQ(read.off_cpu[at].begin_ns, off.begin_ns);
      EXPECT_EQ(read.off_cpu[at].end_ns, off.end_ns);
      EXPECT_EQ(read.off_cpu[at++].preempted, off.preempted);
    }
  }
}

// Other threads may look texts, functions and shapes up meanwhile.
TEST_F(SlicedTraceTest, WhatProcessesShareIsKnownBeforeTheFirstRead) {
  const TraceModel& model = sliced_->model();
  const auto sizes = [&model] {
    return std::tuple(model.texts.size(), model.entry_points.size(),
                      model.operations.size(), model.sites.size());
  };
  const auto before = sizes();
  sliced_->Read(0, {{whole().begin_ns, kEnd}});
  EXPECT_EQ(sizes(), before);
}

TEST_F(SlicedTraceTest, NorDoesAProcessThatIsReadBeforeAnotherChange) {
  const std::string first = dir_.path() + "/first.dltap";
  const std::string second = dir_.path() + "/second.dltap";
  WriteTrainingTrace(first, 50'000);
  WriteTrainingTrace(second, 50'000);
  MakeOfAnotherProcess(second);
  SlicedTrace sliced(*OpenTraceFiles({first, second}, &problems_), &problems_);
  ASSERT_EQ(sliced.model().processes.size(), 2u);
  const size_t samples = sliced.model().processes[0].cpu_samples.size();
  EXPECT_GT(samples, 0);
  sliced.Read(0, {{0, 1'000'000}});
  sliced.Read(1, {{0, 1'000'000}});
  EXPECT_EQ(sliced.model().processes[0].cpu_samples.size(), samples);
}

TEST_F(SlicedTraceTest, SeveralPartsAtOnce) {
  const int64_t end = whole().end_ns;
  const Process part = sliced_->Read(0, {{0, end / 4}, {end / 2, 3 * end / 4}});
  for (const Call& call : part.calls) {
    EXPECT_TRUE(call.begin_ns < end / 4 ||
                (call.begin_ns >= end / 2 && call.begin_ns < 3 * end / 4));
  }
  EXPECT_NEAR(static_cast<double>(part.calls.size()),
              0.5 * static_cast<double>(whole().calls.size()), 1000);
  for (const CpuSample& sample : part.cpu_samples) {
    EXPECT_GE(sample.at_ns, end / 2);
    EXPECT_LT(sample.at_ns, 3 * end / 4);
  }
}

}  // namespace
}  // namespace dltap::analyzer
