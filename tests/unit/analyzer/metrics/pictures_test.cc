// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "analyzer/metrics/figures.h"
#include "analyzer/metrics/step_strip.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

struct Drawn {
  Summary summary;
  Pictures pictures;
};

Drawn Draw(const std::string& text, const Selection& selection = {}) {
  const TraceModel model = TraceFromText(text);
  Drawn drawn;
  drawn.summary =
      Summarise(model, Attribute(model), selection, &drawn.pictures);
  return drawn;
}

std::string Us(int at) { return std::to_string(at); }

// `steps` marked steps of 100 us; the kernel of the i-th lasts 40 + i us.
std::string Worker(int pid, int steps) {
  std::string text = "process pid=" + std::to_string(pid) +
                     " host=node program=worker\ndevice 0 name=H100 uuid=aa\n";
  for (int i = 0; i < steps; ++i) {
    const int at = 100 * i;
    const std::string corr = std::to_string(i + 1);
    text += "range t=" + Us(at) + ".." + Us(at + 100) +
            "us thread=0 kind=step name=\"ProfilerStep#" + corr +
            "\"\ncall t=" + Us(at) + ".." + Us(at + 1) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + Us(at) + ".." +
            Us(at + 1) + "us thread=0 corr=" + corr +
            "\nkernel t=" + Us(at + 10) + ".." + Us(at + 50 + i) +
            "us device=0 stream=7 corr=" + corr + " name=sgemm\n";
  }
  return text;
}

int64_t Sum(const StripStep& step) {
  return std::accumulate(step.class_ns.begin(), step.class_ns.end(),
                         SumOf(step.idle_ns) + step.not_observed_ns);
}

TEST(PicturesTest, TheStripsPartsAreTheReportsSums) {
  const Drawn drawn = Draw(Worker(1, 8));
  ASSERT_EQ(drawn.pictures.devices.size(), 1);
  const DevicePicture& picture = drawn.pictures.devices[0];
  const DeviceSummary& device = drawn.summary.devices[0];
  ASSERT_EQ(picture.strip.size(), 8);
  IdleTimes idle_ns{};
  int64_t used_ns = 0;
  for (const StripStep& step : picture.strip) {
    EXPECT_EQ(Sum(step), step.ns);
    if (step.use != StepUse::kUsed) continue;
    used_ns += step.ns;
    for (size_t i = 0; i < kIdleCauses; ++i) idle_ns[i] += step.idle_ns[i];
  }
  EXPECT_EQ(used_ns, device.wall_ns);
  EXPECT_EQ(idle_ns, device.idle_ns());
  EXPECT_EQ(PhasesOf(device.parts), device.phases_ns);
}

TEST(PicturesTest, StepsThatAreLeftOutAreInTheStripWithTheirReason) {
  Selection selection;
  selection.warm_up = 2;
  const Drawn drawn = Draw(Worker(1, 6), selection);
  const std::vector<StripStep>& strip = drawn.pictures.devices[0].strip;
  ASSERT_EQ(strip.size(), 6);
  EXPECT_EQ(strip[1].use, StepUse::kWarmUp);
  EXPECT_EQ(strip[1].ns, 100'000);
  EXPECT_EQ(strip[2].use, StepUse::kUsed);
}

TEST(PicturesTest, FastestMedianAndSlowestStepAreDrawnWithTheirCalls) {
  // The windows begin 10 us after the step; the last one ends with its step.
  const Drawn drawn = Draw(Worker(1, 7));
  const auto& timelines = drawn.pictures.devices[0].timelines;
  ASSERT_EQ(timelines.size(), 3);
  EXPECT_EQ(timelines[0].which, "fastest");
  EXPECT_EQ(timelines[1].which, "median");
  EXPECT_EQ(timelines[2].which, "slowest");
  const TimelinePicture& median = timelines[1];
  ASSERT_EQ(median.lanes.size(), 3);
  EXPECT_EQ(median.lanes[0].kind, LaneKind::kIdle);
  const PictureLane& stream = median.lanes[1];
  const PictureLane& thread = median.lanes[2];
  ASSERT_EQ(stream.kind, LaneKind::kStream);
  ASSERT_EQ(thread.kind, LaneKind::kThread);
  const auto& texts = drawn.pictures.texts.all();
  EXPECT_EQ(texts[stream.spans[0].name], "sgemm");
  // Its own call begins 10 us before it.
  const auto launch = std::find_if(thread.spans.begin(), thread.spans.end(),
                                   [&](const PictureSpan& span) {
                                     return span.call == stream.spans[0].call;
                                   });
  ASSERT_NE(launch, thread.spans.end());
  EXPECT_EQ(stream.spans[0].begin_ns - launch->begin_ns, 10'000);
  EXPECT_EQ(median.extent.begin_ns, launch->begin_ns);
}

TEST(PicturesTest, WithoutStepsTheRunIsDrawn) {
  Selection selection;
  selection.whole_run = true;
  const Drawn drawn = Draw(Worker(1, 3), selection);
  const DevicePicture& picture = drawn.pictures.devices[0];
  EXPECT_TRUE(picture.strip.empty());
  ASSERT_EQ(picture.timelines.size(), 1);
  EXPECT_EQ(picture.timelines[0].which, "run");
  EXPECT_EQ(picture.timelines[0].lanes[1].spans.size(), 3);
}

TEST(PicturesTest, GapsSayWhatEndedThem) {
  const Drawn drawn = Draw(Worker(1, 6));
  const auto& gaps = drawn.pictures.devices[0].gaps;
  ASSERT_FALSE(gaps.empty());
  int64_t longest_ns = gaps[0].span.length_ns();
  for (const LongGap& gap : gaps) {
    EXPECT_LE(gap.span.length_ns(), longest_ns);
    longest_ns = gap.span.length_ns();
  }
  EXPECT_EQ(drawn.pictures.texts.all()[gaps[0].call], "cudaLaunchKernel");
}

TEST(PicturesTest, ProcessesThatShareADeviceAreInOneStrip) {
  const Drawn drawn = Draw(Worker(1, 5) + Worker(2, 5));
  ASSERT_EQ(drawn.pictures.devices.size(), 1);
  const DevicePicture& picture = drawn.pictures.devices[0];
  ASSERT_EQ(picture.processes.size(), 2);
  ASSERT_EQ(picture.strip.size(), 10);
  for (const StripStep& step : picture.strip) {
    EXPECT_TRUE(Sum(step) == step.ns || Sum(step) == 0);
  }
}

StripStep Made(size_t step, StepUse use) {
  return {.process = 0,
          .step = step,
          .begin_ns = 10 * int64_t(step),
          .ns = 10,
          .use = use};
}

TEST(PicturesTest, BinsKeepTimeAndNeverMixUses) {
  std::vector<StripStep> steps;
  for (size_t i = 0; i < 1000; ++i) {
    steps.push_back(Made(i, i < 3 ? StepUse::kWarmUp : StepUse::kUsed));
  }
  const std::vector<StripStep> bins = InBins(steps, 100);
  ASSERT_LE(bins.size(), 100);
  ASSERT_GT(bins.size(), 30);
  int64_t ns = 0;
  uint64_t warm_up = 0;
  for (const StripStep& bin : bins) {
    ns += bin.ns;
    if (bin.use == StepUse::kWarmUp) warm_up += bin.count;
  }
  EXPECT_EQ(ns, 10'000);
  EXPECT_EQ(warm_up, 3);
}

TEST(PicturesTest, StepsThatFitNoBinAreLeftOutOfTheStrip) {
  std::vector<StripStep> steps;
  for (size_t i = 0; i < 50; ++i) {
    steps.push_back(Made(i, i % 2 ? StepUse::kUsed : StepUse::kEvaluation));
  }
  EXPECT_TRUE(InBins(steps, 10).empty());
  EXPECT_EQ(InBins(steps, 50).size(), 50);
}

// 3,000 kernels of 1 us, and one of 500: it keeps its own span.
TEST(PicturesTest, ShortNeighboursAreDrawnAsOneSpan) {
  std::string text =
      "process pid=1 host=node program=worker\ndevice 0 name=H100 uuid=aa\n";
  for (int i = 0; i < 3000; ++i) {
    text += "kernel t=" + Us(2 * i) + ".." + Us(2 * i + 1) +
            "us device=0 stream=7 name=gelu\n";
  }
  text += "kernel t=6000..6500us device=0 stream=7 name=sgemm\n";
  const TraceModel model = TraceFromText(text);
  Pictures pictures;
  pictures.spans_left = 500;
  Selection selection;
  selection.whole_run = true;
  Summarise(model, Attribute(model), selection, &pictures);
  const TimelinePicture& run = pictures.devices[0].timelines[0];
  uint64_t spans = 0;
  uint64_t kernels = 0;
  for (const PictureLane& lane : run.lanes) {
    spans += lane.spans.size();
    if (lane.kind != LaneKind::kStream) continue;
    for (const PictureSpan& span : lane.spans) kernels += span.count;
    EXPECT_EQ(lane.spans.back().count, 1);
    EXPECT_EQ(lane.spans.back().end_ns - lane.spans.back().begin_ns, 500'000);
  }
  EXPECT_LE(spans, 500);
  EXPECT_EQ(kernels, 3001);
  EXPECT_GT(run.together, 0);
}

}  // namespace
}  // namespace dltap::analyzer
