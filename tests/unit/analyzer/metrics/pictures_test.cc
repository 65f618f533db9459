// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/pictures/step_strip.h"
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

// What a step is made of, of that kind.
int64_t Sum(const StepStrip& strip, size_t step, SeriesKind kind) {
  int64_t ns = 0;
  for (const auto& [key, values] : strip.series.all()) {
    if (key.kind == kind) ns += values[step];
  }
  return ns;
}

int64_t Sum(const StepStrip& strip, size_t step) {
  return Sum(strip, step, SeriesKind::kLead) +
         Sum(strip, step, SeriesKind::kIdle) +
         Sum(strip, step, SeriesKind::kNotObserved);
}

TEST(PicturesTest, TheStripsPartsAreTheReportsSums) {
  Selection selection;
  selection.warm_up = 2;
  const Drawn drawn = Draw(Worker(1, 8), selection);
  ASSERT_EQ(drawn.pictures.devices.size(), 1);
  const StepStrip& strip = drawn.pictures.devices[0].strip;
  const DeviceSummary& device = drawn.summary.devices[0];
  ASSERT_EQ(strip.steps.size(), 8);
  ASSERT_EQ(strip.series.windows(), 8);
  int64_t used_ns = 0;
  int64_t idle_ns = 0;
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(Sum(strip, i), strip.steps[i].ns) << i;
    EXPECT_EQ(Sum(strip, i, SeriesKind::kPhase), strip.steps[i].ns) << i;
    if (strip.steps[i].use != StepUse::kUsed) continue;
    used_ns += strip.steps[i].ns;
    idle_ns += Sum(strip, i, SeriesKind::kIdle);
  }
  EXPECT_EQ(used_ns, device.wall_ns);
  EXPECT_EQ(idle_ns, SumOf(device.idle_ns()));
}

// Whatever is left out: a step is made of the same.
TEST(PicturesTest, AStepIsMadeOfTheSameUsedOrLeftOut) {
  Selection selection;
  selection.warm_up = 4;
  const Drawn all = Draw(Worker(1, 8));
  const Drawn fewer = Draw(Worker(1, 8), selection);
  const StepStrip& expected = all.pictures.devices[0].strip;
  const StepStrip& strip = fewer.pictures.devices[0].strip;
  ASSERT_EQ(expected.steps[1].use, StepUse::kUsed);
  ASSERT_EQ(strip.steps[1].use, StepUse::kWarmUp);
  for (const auto& [key, values] : expected.series.all()) {
    const auto found = strip.series.all().find(key);
    ASSERT_NE(found, strip.series.all().end());
    EXPECT_EQ(found->second[1], values[1]);
    EXPECT_EQ(found->second[2], values[2]);
  }
}

TEST(PicturesTest, StepsThatAreLeftOutAreInTheStripWithTheirReason) {
  Selection selection;
  selection.warm_up = 2;
  const Drawn drawn = Draw(Worker(1, 6), selection);
  const std::vector<StripStep>& strip = drawn.pictures.devices[0].strip.steps;
  ASSERT_EQ(strip.size(), 6);
  EXPECT_EQ(strip[1].use, StepUse::kWarmUp);
  EXPECT_EQ(strip[1].ns, 100'000);
  EXPECT_EQ(strip[2].use, StepUse::kUsed);
}

TEST(PicturesTest, FastestMedianAndSlowestStepAreDrawnWithTheirCalls) {
  // The windows begin 10 us after the step; the last one ends with its step.
  const Drawn drawn = Draw(Worker(1, 7));
  const auto& timelines = drawn.pictures.devices[0].timelines;
  ASSERT_GE(timelines.size(), 3);
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
  EXPECT_TRUE(picture.strip.steps.empty());
  ASSERT_GE(picture.timelines.size(), 1);
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

TEST(PicturesTest, ALongGapLeadsToATimelineThatShowsItWhole) {
  const Drawn drawn = Draw(Worker(1, 12));
  const DevicePicture& picture = drawn.pictures.devices[0];
  ASSERT_GT(picture.gaps.size(), 8);
  std::set<std::string> kinds;
  for (size_t i = 0; i < 8; ++i) {
    const LongGap& gap = picture.gaps[i];
    ASSERT_TRUE(gap.timeline.has_value()) << i;
    const TimelinePicture& timeline = picture.timelines[*gap.timeline];
    kinds.insert(timeline.which);
    ASSERT_EQ(timeline.lanes[0].kind, LaneKind::kIdle);
    const auto& idle = timeline.lanes[0].spans;
    EXPECT_TRUE(std::any_of(idle.begin(), idle.end(),
                            [&](const PictureSpan& span) {
                              return span.begin_ns == gap.span.begin_ns &&
                                     span.end_ns == gap.span.end_ns;
                            }))
        << i;
  }
  EXPECT_TRUE(kinds.contains("gap"));
}

TEST(PicturesTest, LayersSumToTheirOpsAndClasses) {
  const Drawn drawn = Draw(Worker(1, 8));
  std::map<OpKey, OpSums> ops;
  for (const auto& [layer, of_layer] : drawn.pictures.layers) {
    int64_t gpu_ns = 0;
    for (const auto& [key, sums] : of_layer) {
      gpu_ns += sums.gpu_ns;
      ops[key].count += sums.count;
      ops[key].gpu_ns += sums.gpu_ns;
      for (const auto& [name, kernel] : sums.kernels) {
        ops[key].kernels[name].count += kernel.count;
        ops[key].kernels[name].gpu_ns += kernel.gpu_ns;
      }
    }
    EXPECT_EQ(gpu_ns, drawn.summary.layers.at(layer).gpu_ns);
  }
  ASSERT_FALSE(ops.empty());
  ASSERT_EQ(ops.size(), drawn.summary.tallies.ops.size());
  for (const auto& [key, sums] : drawn.summary.tallies.ops) {
    EXPECT_EQ(ops[key].count, sums.count);
    EXPECT_EQ(ops[key].gpu_ns, sums.gpu_ns);
    EXPECT_EQ(ops[key].kernels, sums.kernels);
  }
}

TEST(PicturesTest, ProcessesThatShareADeviceAreInOneStrip) {
  const Drawn drawn = Draw(Worker(1, 5) + Worker(2, 5));
  ASSERT_EQ(drawn.pictures.devices.size(), 1);
  const DevicePicture& picture = drawn.pictures.devices[0];
  ASSERT_EQ(picture.processes.size(), 2);
  const StepStrip& strip = picture.strip;
  ASSERT_EQ(strip.steps.size(), 10);
  for (size_t i = 0; i < 10; ++i) {
    const int64_t ns = Sum(strip, i);
    EXPECT_TRUE(ns == strip.steps[i].ns || ns == 0) << i;
  }
}

TEST(PicturesTest, DevicesShareTheRoomAlike) {
  std::string other = Worker(2, 40);
  other.replace(other.find("uuid=aa"), 7, "uuid=bb");
  const TraceModel model = TraceFromText(Worker(1, 40) + other);
  Pictures pictures;
  pictures.steps_left = 40;
  pictures.spans_left = 200;
  Summarise(model, Attribute(model), {}, &pictures);
  ASSERT_EQ(pictures.devices.size(), 2);
  for (const DevicePicture& device : pictures.devices) {
    uint64_t steps = 0;
    for (const StripStep& step : device.strip.steps) steps += step.count;
    EXPECT_EQ(steps, 40);
    EXPECT_LE(device.strip.steps.size(), 20);
    EXPECT_GE(device.timelines.size(), 3);
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
  StepStrip strip{{}, StepSeries(1000)};
  for (size_t i = 0; i < 1000; ++i) {
    strip.steps.push_back(Made(i, i < 3 ? StepUse::kWarmUp : StepUse::kUsed));
    strip.series.Of({SeriesKind::kIdle})[i] = 10;
  }
  const StepStrip binned = InBins(strip, 100);
  const std::vector<StripStep>& bins = binned.steps;
  ASSERT_LE(bins.size(), 100);
  ASSERT_GT(bins.size(), 30);
  int64_t ns = 0;
  uint64_t warm_up = 0;
  for (size_t i = 0; i < bins.size(); ++i) {
    EXPECT_EQ(Sum(binned, i), bins[i].ns);
    ns += bins[i].ns;
    if (bins[i].use == StepUse::kWarmUp) warm_up += bins[i].count;
  }
  EXPECT_EQ(ns, 10'000);
  EXPECT_EQ(warm_up, 3);
}

TEST(PicturesTest, StepsThatFitNoBinAreLeftOutOfTheStrip) {
  StepStrip strip{{}, StepSeries(50)};
  for (size_t i = 0; i < 50; ++i) {
    strip.steps.push_back(
        Made(i, i % 2 ? StepUse::kUsed : StepUse::kEvaluation));
  }
  EXPECT_TRUE(InBins(strip, 10).steps.empty());
  EXPECT_EQ(InBins(strip, 50).steps.size(), 50);
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
