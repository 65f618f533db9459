// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/draw_device.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analyzer/metrics/step_strip.h"
#include "analyzer/metrics/timeline_picture.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

// More than a screen has columns.
constexpr size_t kMostBins = 5000;
constexpr size_t kMostSpans = 60'000;  // of one timeline

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

}  // namespace

void DrawDevice(const TraceModel& model, const DeviceView& view,
                std::vector<MarkedWindow> steps,
                const std::vector<ProcessKey>& processes, Pictures& out) {
  const Device& device = view.process.devices[view.device.value()];
  DevicePicture& picture = out.devices.emplace_back();
  picture.processes = processes;
  picture.ordinal = device.ordinal;
  picture.name = device.name;
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
  StripDrawer strip(model, view, steps, drawn, out.texts);
  picture.gaps = strip.LongestGaps();
  TimelineDrawer timelines(model, view, strip.gaps(), out.texts);
  for (const Chosen& chosen : chosen_steps) {
    if (out.spans_left == 0) break;
    const MarkedWindow& step = steps[chosen.window];
    TimelinePicture timeline =
        timelines.Draw(step.window.span, std::min(kMostSpans, out.spans_left));
    timeline.which = whole_run ? "run" : chosen.which;
    timeline.process = step.process;
    if (!whole_run) timeline.step = step.step;
    for (const PictureLane& lane : timeline.lanes) {
      out.spans_left -= std::min(out.spans_left, lane.spans.size());
    }
    picture.timelines.push_back(std::move(timeline));
  }
  if (whole_run) return;
  picture.steps = steps.size();
  picture.strip = InBins(strip.Take(), std::min(kMostBins, out.steps_left));
  out.steps_left -= picture.strip.size();
}

}  // namespace dltap::analyzer
