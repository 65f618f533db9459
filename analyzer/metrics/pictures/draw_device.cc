// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures/draw_device.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/metrics/pictures/step_strip.h"
#include "analyzer/metrics/pictures/timeline_picture.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

// More than a screen has columns.
constexpr size_t kMostBins = 5000;
constexpr size_t kMostSpans = 60'000;  // of one timeline
// Of the timelines around long gaps: so many in any case, so many of each cause
// and class.
constexpr size_t kGapTimelines = 8;
constexpr size_t kGapTimelinesOfCell = 3;
constexpr size_t kMostGapTimelines = 40;
constexpr size_t kMostSpansOfGap = 1'500;
constexpr int64_t kLeastMarginNs = 20'000;

void AddRoofs(DevicePicture& out) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpuByProduct(out.name);
  if (gpu == nullptr) return;
  out.bandwidth_gbs = gpu->bandwidth_bytes_per_s * 1e-9;
  constexpr std::pair<const char*, opmodel::DType> kTypes[] = {
      {"f64", opmodel::DType::kF64},
      {"f32", opmodel::DType::kF32},
      {"tf32", opmodel::DType::kTf32},
      {"bf16", opmodel::DType::kBf16}};
  for (const auto& [name, type] : kTypes) {
    const double peak = opmodel::PeakFlopsPerS(*gpu, type);
    if (peak > 0) out.roofs.push_back({name, peak * 1e-12});
  }
}

struct Chosen {
  const char* which;
  size_t window;
};

// Places in `steps` of the fastest, median and slowest used one, each once.
std::vector<Chosen> ChooseTimelines(const std::vector<MarkedWindow>& steps) {
  std::vector<size_t> used;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].use == StepUse::kUsed) used.push_back(i);
  }
  if (used.empty()) return {};
  std::stable_sort(used.begin(), used.end(), [&](size_t a, size_t b) {
    return steps[a].window.span.length_ns() < steps[b].window.span.length_ns();
  });
  if (used.size() == 1) return {{"only", used[0]}};
  std::vector<Chosen> out{{"fastest", used.front()}};
  if (used.size() > 2) out.push_back({"median", used[(used.size() - 1) / 2]});
  out.push_back({"slowest", used.back()});
  return out;
}

// The gap, and as much again on each side.
Interval Around(Interval gap) {
  const int64_t margin_ns = std::max(gap.length_ns(), kLeastMarginNs);
  return {gap.begin_ns - margin_ns, gap.end_ns + margin_ns};
}

class DeviceDrawer {
 public:
  DeviceDrawer(TimelineDrawer& timelines, Pictures& out)
      : timelines_(timelines),
        out_(out),
        picture_(out.devices.back()),
        least_left_(out.spans_left - out.spans_left / out.devices_left) {}

  // False: there is no room for it.
  bool Draw(Interval span, size_t most_spans, std::string which,
            const MarkedWindow* step, size_t process) {
    if (out_.spans_left <= least_left_) return false;
    TimelinePicture timeline = timelines_.Draw(
        span, std::min(most_spans, out_.spans_left - least_left_));
    timeline.which = std::move(which);
    timeline.process = process;
    if (step != nullptr) timeline.step = step->step;
    for (const PictureLane& lane : timeline.lanes) {
      out_.spans_left -= std::min(out_.spans_left, lane.spans.size());
    }
    picture_.timelines.push_back(std::move(timeline));
    return true;
  }

  // Long gaps lie in a timeline that is there, or get one of their own.
  void PlaceGaps() {
    std::map<std::pair<IdleCause, std::optional<LayerClass>>, size_t> drawn;
    size_t all_drawn = 0;
    const size_t steps = picture_.timelines.size();
    for (LongGap& gap : picture_.gaps) {
      gap.timeline = TimelineOf(gap, steps);
      size_t& of_cell = drawn[{gap.cause, gap.layer_class}];
      const bool wanted =
          all_drawn < kGapTimelines ||
          (of_cell < kGapTimelinesOfCell && all_drawn < kMostGapTimelines);
      if (gap.timeline || !wanted) continue;
      if (!Draw(Around(gap.span), kMostSpansOfGap, "gap", nullptr,
                gap.process)) {
        return;
      }
      gap.timeline = picture_.timelines.size() - 1;
      ++of_cell;
      ++all_drawn;
    }
  }

 private:
  std::optional<size_t> TimelineOf(const LongGap& gap, size_t steps) const {
    for (size_t i = 0; i < steps; ++i) {
      const Interval window = picture_.timelines[i].window;
      if (gap.span.begin_ns >= window.begin_ns &&
          gap.span.end_ns <= window.end_ns) {
        return i;
      }
    }
    return std::nullopt;
  }

  TimelineDrawer& timelines_;
  Pictures& out_;
  DevicePicture& picture_;
  const size_t least_left_;  // of out_.spans_left, for further devices
};

}  // namespace

void DrawDevice(const TraceModel& model, const DeviceView& view,
                const DeviceSummary& summary, std::vector<MarkedWindow> steps,
                Pictures& out) {
  DevicePicture& picture = out.devices.emplace_back();
  picture.processes = summary.processes;
  picture.ordinal = summary.ordinal;
  picture.name = summary.name;
  AddRoofs(picture);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const MarkedWindow& a, const MarkedWindow& b) {
                     return a.window.span < b.window.span;
                   });
  const bool whole_run = steps.empty();
  if (whole_run) {
    for (const StepWindow& window : view.windows) {
      steps.push_back({window, StepUse::kUsed, 0, 0});
    }
  }
  const std::vector<Chosen> chosen_steps = ChooseTimelines(steps);
  std::vector<size_t> drawn;
  for (const Chosen& chosen : chosen_steps) drawn.push_back(chosen.window);
  StripDrawer strip(model, view, summary, steps, drawn, out.texts);
  picture.gaps = strip.LongestGaps();
  TimelineDrawer timelines(model, view, strip.gaps(), out.texts);
  DeviceDrawer drawer(timelines, out);
  for (const Chosen& chosen : chosen_steps) {
    const MarkedWindow& step = steps[chosen.window];
    drawer.Draw(step.window.span, kMostSpans, whole_run ? "run" : chosen.which,
                whole_run ? nullptr : &step, step.process);
  }
  drawer.PlaceGaps();
  if (whole_run) return;
  picture.steps = steps.size();
  const size_t bins = std::min(kMostBins, out.steps_left / out.devices_left);
  picture.strip = InBins(strip.Take(), bins);
  out.steps_left -= picture.strip.steps.size();
}

}  // namespace dltap::analyzer
