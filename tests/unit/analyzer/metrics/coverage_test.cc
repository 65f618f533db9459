// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/coverage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/windows/outside.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

Summary SummaryOf(const std::string& text, const Selection& selection = {}) {
  const TraceModel model = TraceFromText(text);
  return Summarise(model, Attribute(model), selection);
}

std::string Us(int at) { return std::to_string(at); }

// A launch on the host and its kernel, both at `at` us; names of kernels give
// the class.
std::string Kernel(int at, int us, const std::string& name = "sgemm") {
  static int corr = 0;
  const std::string id = std::to_string(++corr);
  return "call t=" + Us(at) + ".." + Us(at + 1) +
         "us thread=0 cudaLaunchKernel\nlaunchapi t=" + Us(at) + ".." +
         Us(at + 1) + "us thread=0 corr=" + id + "\nkernel t=" + Us(at) + ".." +
         Us(at + us) + "us device=0 stream=7 corr=" + id + " name=" + name +
         "\n";
}

std::string Marker(int begin, int end, const std::string& kind = "nvtx") {
  static int step = 0;
  return "range t=" + Us(begin) + ".." + Us(end) + "us thread=0 kind=" + kind +
         " name=\"step " + std::to_string(++step) + "\"\n";
}

// Steps of 100 us with 40 us of GEMM each, between 10 us of softmax before
// and 30 us after.
std::string Marked(int steps) {
  std::string text = "device 0 name=gpu\n" + Kernel(0, 10, "softmax_warp");
  for (int i = 0; i < steps; ++i) {
    text += Marker(100 * (i + 1), 100 * (i + 2), "step") +
            Kernel(100 * (i + 1) + 5, 40);
  }
  return text + Kernel(100 * (steps + 1) + 5, 30, "softmax_warp");
}

int64_t LeftOutNs(const Summary& summary, std::string_view reason) {
  const auto it = summary.outside.left_out.find(std::string(reason));
  return it == summary.outside.left_out.end() ? 0 : it->second.gpu_ns;
}

int64_t UsedNs(const Summary& summary) { return TotalsOf(summary).all.gpu_ns; }

bool Warns(const Summary& summary, WarningId id) {
  for (const Warning& warning : FiguresOf(summary).warnings) {
    if (warning.id == id) return true;
  }
  return false;
}

// The example of METRICS.md "Coverage".
TEST(CoverageTest, WhatLiesAroundTheStepsIsOutside) {
  const Summary summary = SummaryOf(Marked(4));
  EXPECT_EQ(UsedNs(summary), 160'000);
  EXPECT_EQ(LeftOutNs(summary, kBeforeFirstStep), 10'000);
  EXPECT_EQ(LeftOutNs(summary, kAfterLastStep), 30'000);
  EXPECT_EQ(summary.outside.total_ns(), 40'000);
  const Coverage coverage = FiguresOf(summary).coverage;
  EXPECT_DOUBLE_EQ(*coverage.share, 0.8);
  ASSERT_EQ(coverage.windows.size(), 4);
  EXPECT_EQ(coverage.windows[0], (Interval{105'000, 205'000}));
  EXPECT_TRUE(Warns(summary, WarningId::kOutside));
}

TEST(CoverageTest, LaunchesAreMissedThatNoOtherKernelMayBelongTo) {
  Summary summary = SummaryOf(Marked(4));
  summary.processes[0].launches_without_kernel = 6;
  summary.processes[0].kernels_without_launch = 6;
  EXPECT_FALSE(Warns(summary, WarningId::kLaunchesWithoutKernel));
  summary.processes[0].launches_without_kernel = 16;
  EXPECT_TRUE(Warns(summary, WarningId::kLaunchesWithoutKernel));
}

TEST(CoverageTest, AKernelOverTheEdgeOfAWindowCountsOnBothSides) {
  const Summary summary = SummaryOf("device 0 name=gpu\n" + Kernel(90, 30) +
                                    Marker(100, 200, "step") + Kernel(100, 40) +
                                    Marker(200, 300, "step") + Kernel(200, 40));
  // The first kernel runs from 90 to 120 us; the window begins at 100.
  EXPECT_EQ(LeftOutNs(summary, kBeforeFirstStep), 10'000);
  EXPECT_EQ(UsedNs(summary), 20'000 + 40'000 + 40'000);
}

TEST(CoverageTest, ADeviceWithoutAnyStepHasAReasonOfItsOwn) {
  const Summary summary =
      SummaryOf(Marked(3) +
                "device 1 name=gpu\n"
                "kernel t=0..7us device=1 stream=9 name=gelu\n");
  EXPECT_EQ(LeftOutNs(summary, kDeviceWithoutSteps), 7'000);
  EXPECT_EQ(summary.devices.size(), 1);
}

TEST(CoverageTest, TheHostsPartOfTheLastStepStays) {
  // Each step computes 2 us and sleeps 200: so does the last one.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 5; ++i) {
    text += Marker(200 * i, 200 * i + 200, "step") + Kernel(200 * i, 2);
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  EXPECT_DOUBLE_EQ(*figures.steps.mean_ns, 200'000);
  EXPECT_DOUBLE_EQ(*figures.steps.stddev_ns, 0);
}

TEST(CoverageTest, OneStepHasNoDeviation) {
  const Summary summary =
      SummaryOf("device 0 name=gpu\n" + Marker(0, 200, "step") + Kernel(0, 20));
  const Figures figures = FiguresOf(summary);
  ASSERT_EQ(figures.steps.used, 1);
  EXPECT_FALSE(figures.steps.stddev_ns.has_value());
}

TEST(CoverageTest, ALastStepWithoutAnEndIsLeftOut) {
  // The markers close before the loader's 150 us.
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 5; ++i) {
    text += Marker(200 * i, 200 * i + 50) + Kernel(200 * i, 40);
  }
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.steps.used, 4);
  EXPECT_DOUBLE_EQ(*figures.steps.mean_ns, 200'000);
  EXPECT_EQ(LeftOutNs(summary, "incomplete"), 40'000);
}

TEST(CoverageTest, AShortLastStepIsWholeIfNothingFollowsTheWorkOfOthers) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 5; ++i) {
    text += Marker(200 * i, 200 * i + 50) + Kernel(200 * i, i < 4 ? 195 : 100);
  }
  const Summary summary = SummaryOf(text);
  EXPECT_EQ(FiguresOf(summary).steps.used, 5);
}

TEST(CoverageTest, TrialsOutsideAreNamedAsSuch) {
  const TraceModel model =
      TraceFromText("device 0 name=gpu\n" + Kernel(0, 30) + Kernel(100, 5));
  ProcessAttribution attribution = Attribute(model).processes[0];
  attribution.activities[0].autotune = true;
  Outside outside;
  AddOutside(model.processes[0], attribution, DeviceId(0),
             AlwaysOutside(kBeforeFirstStep), {}, outside);
  EXPECT_EQ(outside.left_out["autotune"].gpu_ns, 30'000);
  EXPECT_EQ(outside.left_out["before_first_step"].gpu_ns, 5'000);
}

TEST(CoverageTest, StepsThatOverlapOnStreamsHaveDisjointWindows) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 4; ++i) {
    const std::string id = std::to_string(900 + i);
    text += Marker(100 * i, 100 * i + 100, "step") + Kernel(100 * i, 20) +
            "call t=" + Us(100 * i + 50) + ".." + Us(100 * i + 51) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + Us(100 * i + 50) +
            ".." + Us(100 * i + 51) + "us thread=0 corr=" + id +
            "\nkernel t=" + Us(100 * i + 60) + ".." + Us(100 * i + 130) +
            "us device=0 stream=8 corr=" + id + " name=gelu\n";
  }
  const Summary summary = SummaryOf(text);
  // From the first kernel to the end of the last one.
  EXPECT_EQ(TotalsOf(summary).wall_ns, 430'000);
  EXPECT_EQ(summary.outside.total_ns(), 0);
}

TEST(CoverageTest, UnobservedStepsAreLeftOutAndAreNotIdle) {
  std::string text = "device 0 name=gpu\n";
  for (int i = 0; i < 8; ++i) {
    text += Marker(100 * i, 100 * i + 100, "step");
    const bool is_seen = i < 3 || i > 4;
    text += is_seen ? Kernel(100 * i, 90)
                    : "call t=" + Us(100 * i) + ".." + Us(100 * i + 1) +
                          "us thread=0 cudaLaunchKernel\n";
  }
  text +=
      "not_observed t=295..500us device=0 cause=yielded\n"
      "loss cupti_yielded 1\n";
  const Summary summary = SummaryOf(text);
  const Figures figures = FiguresOf(summary);
  EXPECT_EQ(figures.steps.used, 6);
  EXPECT_EQ(summary.outside.left_out.at("not_observed").steps, 2);
  EXPECT_DOUBLE_EQ(*figures.steps.mean_ns, 100'000);
  // 10 us in each of six steps, of which one's last 5 were not observed.
  EXPECT_EQ(figures.totals.in(DeviceState::kIdle), 55'000);
  EXPECT_EQ(figures.totals.in(DeviceState::kNotObserved), 5'000);
  EXPECT_TRUE(Warns(summary, WarningId::kStepsNotObserved));
  EXPECT_TRUE(Warns(summary, WarningId::kCuptiYielded));
}

TEST(CoverageTest, AWindowTakesAPartOfTheRun) {
  const Selection part{.window = Interval{20'000, 130'000}};
  const Summary summary = SummaryOf(Marked(4), part);
  EXPECT_EQ(TotalsOf(summary).wall_ns, 110'000);
  EXPECT_EQ(UsedNs(summary), 25'000);
  EXPECT_EQ(LeftOutNs(summary, kNotSelected), 175'000);
  EXPECT_FALSE(Warns(summary, WarningId::kOutside));
}

TEST(CoverageTest, TheWholeRunLeavesNothingOutside) {
  const Summary summary = SummaryOf(Marked(4), {.whole_run = true});
  EXPECT_EQ(UsedNs(summary), 200'000);
  EXPECT_EQ(summary.outside.total_ns(), 0);
  EXPECT_EQ(FiguresOf(summary).steps.found_by, StepsFoundBy::kNone);
}

TEST(CoverageTest, StepsCanBeChosen) {
  const Summary summary =
      SummaryOf(Marked(6), {.steps = std::pair<size_t, size_t>(2, 3)});
  EXPECT_EQ(UsedNs(summary), 80'000);
  EXPECT_EQ(summary.outside.left_out.at("not_selected").steps, 4);
  EXPECT_EQ(LeftOutNs(summary, kNotSelected), 160'000);
}

TEST(CoverageTest, TheFirstStepsCanBeWarmUp) {
  const Summary summary = SummaryOf(Marked(6), {.warm_up = 2});
  EXPECT_EQ(FiguresOf(summary).steps.used, 4);
  EXPECT_EQ(summary.outside.left_out.at("warm_up").steps, 2);
  EXPECT_EQ(LeftOutNs(summary, "warm_up"), 80'000);
}

// Example of METRICS.md "Trust".
TEST(CoverageTest, TheTimeOfEvaluationsIsSaidThoughTheGpuDoesLittle) {
  Summary summary = SummaryOf(Marked(4));
  EXPECT_FALSE(Warns(summary, WarningId::kOutsideTime));
  const Steps steps = {.found_by = StepsFoundBy::kPeriod,
                       .steps = {{0, 100'000, StepUse::kWarmUp},
                                 {100'000, 400'000},
                                 {400'000, 500'000, StepUse::kEvaluation},
                                 {500'000, 600'000}}};
  summary.processes[0].steps = SummariseSteps(steps);
  for (const Warning& warning : FiguresOf(summary).warnings) {
    if (warning.id == WarningId::kOutsideTime) {
      EXPECT_DOUBLE_EQ(*warning.share, 0.2);
    }
  }
  EXPECT_TRUE(Warns(summary, WarningId::kOutsideTime));
  AddLeftOutSteps(summary.processes[0].steps, summary.outside);
  EXPECT_EQ(summary.outside.left_out.at("forward_only").wall_ns, 100'000);
  EXPECT_EQ(summary.outside.left_out.at("warm_up").wall_ns, 100'000);
}

TEST(CoverageTest, AbsurdOverheadIsUnknown) {
  TraceModel model = TraceFromText(Marked(2));
  model.processes[0].per_call_overhead_ns = int64_t{1} << 62;
  const Summary summary = Summarise(model, Attribute(model));
  EXPECT_EQ(FiguresOf(summary).trust.overhead_ns, std::nullopt);
}

std::string Ranks(const std::vector<int>& steps) {
  std::string text;
  for (size_t rank = 0; rank < steps.size(); ++rank) {
    text += "process pid=" + std::to_string(rank + 1) +
            " rank=" + std::to_string(rank) + "\n" + Marked(steps[rank]);
  }
  return text;
}

TEST(CoverageTest, RanksWithFewerStepsThanOthersAreSaid) {
  EXPECT_TRUE(Warns(SummaryOf(Ranks({12, 12, 4})), WarningId::kRanksDiffer));
  EXPECT_FALSE(Warns(SummaryOf(Ranks({12, 11})), WarningId::kRanksDiffer));
  EXPECT_FALSE(Warns(SummaryOf(Ranks({12})), WarningId::kRanksDiffer));
}

}  // namespace
}  // namespace dltap::analyzer
