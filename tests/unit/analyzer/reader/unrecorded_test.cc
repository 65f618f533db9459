// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/reader/sliced_trace.h"
#include "analyzer/reader/trace_reader.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_bytes.h"

namespace dltap::analyzer {
namespace {

using ::testing::ElementsAre;
using trace::BlockKind;
using trace::Piece;
using trace::TraceBytes;

// 1 tick is 1 ns, and both clocks are one.
trace::AnchorRecord Anchor(uint64_t at_ns) {
  trace::AnchorRecord anchor = {};
  anchor.ticks = anchor.monotonic_ns = anchor.activity_ns = at_ns;
  anchor.realtime_ns = at_ns + 1'000'000'000;
  return anchor;
}

constexpr uint64_t kUs = 1'000;

// A launch at `at_us` and the kernel that it started 5 us later.
void Launch(TraceBytes& trace, uint64_t at_us, uint64_t external = 0) {
  trace::LaunchApiRecord launch = {};
  launch.start_ns = at_us * kUs;
  launch.duration_ns = kUs;
  launch.correlation = at_us;
  launch.external = external;
  trace.Put(BlockKind::kActivities, launch);
  trace::KernelRecord kernel = {};
  kernel.start_ns = (at_us + 5) * kUs;
  kernel.duration_ns = kUs;
  kernel.correlation = at_us;
  trace.Put(BlockKind::kActivities, kernel);
}

void Window(TraceBytes& trace, uint64_t at_us, bool recording) {
  trace::WindowRecord window = {};
  window.ticks = at_us * kUs;
  window.recording = recording ? 1 : 0;
  trace.Put(BlockKind::kSamples, window);
}

// Calls at 0 and 400 us; recording is off from 100 to 300 us.
std::vector<uint8_t> TwoWindows() {
  TraceBytes trace(42);
  trace.Put(BlockKind::kSamples, Anchor(0));
  trace.Put(BlockKind::kSamples, Anchor(1'000'000));
  trace.Entry(16, "cudaLaunchKernel");
  trace.Put(BlockKind::kDefinitions, trace::DeviceRecord{},
            Piece::String("GPU", 3));
  for (const uint64_t at_us : {0, 400}) {
    trace.Calls(0, at_us / 400,
                {{.begin_ticks = at_us * kUs,
                  .duration_ticks = 3 * kUs,
                  .entry_point = 16,
                  .flags = 0}});
  }
  Window(trace, 100, false);
  Window(trace, 300, true);
  for (const uint64_t at_us : {1, 95, 105, 200, 295, 305, 401}) {
    Launch(trace, at_us);
  }
  Launch(trace, 220, 90 * kUs);
  return trace.bytes();
}

std::vector<uint64_t> KernelsOf(const Process& process) {
  std::vector<uint64_t> correlations;
  for (const Activity& activity : process.activities) {
    correlations.push_back(activity.correlation);
  }
  return correlations;
}

// The activity source is switched off some time after a window's end. What was
// launched near an end, or by a call that was recorded, stays.
TEST(UnrecordedTest, WhatWasLaunchedBetweenTwoWindowsIsLeftOut) {
  const TempDir dir;
  const std::string path = dir.Write("a.dltap", TwoWindows());
  std::vector<std::string> problems;
  const absl::StatusOr<TraceModel> model = ReadTrace({path}, &problems);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto wanted = ElementsAre(1, 95, 105, 220, 295, 305, 401);
  EXPECT_THAT(KernelsOf(model->processes[0]), wanted);
  SlicedTrace sliced(*OpenTraceFiles({path}, &problems), &problems);
  EXPECT_THAT(KernelsOf(sliced.Read(0, {{}})), wanted);
}

void Kernel(TraceBytes& trace, uint64_t at_us) {
  trace::KernelRecord kernel = {};
  kernel.start_ns = at_us * kUs;
  kernel.duration_ns = kUs;
  kernel.correlation = at_us;
  trace.Put(BlockKind::kActivities, kernel);
}

// Its launches may not be on record: the tap writes none between windows.
TEST(UnrecordedTest, WhatBeginsAfterTheLastWindowIsLeftOut) {
  TraceBytes trace(42);
  trace.Put(BlockKind::kSamples, Anchor(0));
  trace.Put(BlockKind::kSamples, Anchor(1'000'000));
  trace.Entry(16, "cudaLaunchKernel");
  trace.Put(BlockKind::kDefinitions, trace::DeviceRecord{},
            Piece::String("GPU", 3));
  trace.Calls(0, 0,
              {{.begin_ticks = 0,
                .duration_ticks = 3 * kUs,
                .entry_point = 16,
                .flags = 0}});
  Window(trace, 100, false);
  Launch(trace, 1);
  Launch(trace, 98);  // its kernel runs after the end
  Kernel(trace, 150);
  Kernel(trace, 200);
  const TempDir dir;
  const std::string path = dir.Write("a.dltap", trace.bytes());
  std::vector<std::string> problems;
  const absl::StatusOr<TraceModel> model = ReadTrace({path}, &problems);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(KernelsOf(model->processes[0]), ElementsAre(1, 98));
}

}  // namespace
}  // namespace dltap::analyzer
