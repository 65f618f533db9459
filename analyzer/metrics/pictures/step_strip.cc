// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pictures/step_strip.h"

#include <algorithm>
#include <utility>

#include "analyzer/attribution/base/api_name.h"
#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/base/op_name.h"
#include "analyzer/metrics/devices/window_series.h"
#include "analyzer/metrics/idle/gaps.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kGapsPerCell = 20;
constexpr size_t kMostGaps = 1'000'000;

bool IsLonger(const Gap& a, const Gap& b) {
  return a.span.length_ns() > b.span.length_ns();
}

// Takes the shorter half out.
void KeepLonger(std::vector<Gap>& gaps) {
  std::vector<int64_t> lengths;
  for (const Gap& gap : gaps) lengths.push_back(gap.span.length_ns());
  std::erase_if(gaps, [limit = Median(std::move(lengths))](const Gap& gap) {
    return gap.span.length_ns() <= limit;
  });
}

// Sorted, the longest first; equal ones as they came.
void KeepLongest(std::vector<Gap>& gaps) {
  std::stable_sort(gaps.begin(), gaps.end(), IsLonger);
  gaps.resize(std::min(gaps.size(), kGapsPerCell));
}

bool Together(const StripStep& a, const StripStep& b) {
  return a.process == b.process && a.use == b.use;
}

}  // namespace

StripDrawer::StripDrawer(const TraceModel& model, const DeviceView& view,
                         const DeviceSummary& summary,
                         const std::vector<MarkedWindow>& steps,
                         const std::vector<size_t>& drawn, PictureTexts& texts)
    : model_(model), view_(view), steps_(steps), texts_(texts) {
  strip_.series = StepSeries(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const MarkedWindow& step = steps[i];
    strip_.steps.push_back({.process = step.process,
                            .step = step.step,
                            .begin_ns = step.window.span.begin_ns,
                            .ns = step.window.span.length_ns(),
                            .use = step.use});
    if (!windows_.empty() &&
        windows_.back().span.end_ns > step.window.span.begin_ns) {
      continue;
    }
    windows_.push_back(step.window);
    step_of_.push_back(i);
  }
  const HostView host(model_, view_.process, view_.attribution, view_.steps,
                      view_.device);
  AddUsedSteps(summary);
  AddLeftOutSteps(host);
  RankGaps(host);
  KeepGaps(host, drawn);
}

// The summary's windows are unions of those of used steps.
void StripDrawer::AddUsedSteps(const DeviceSummary& summary) {
  size_t at = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Interval span = steps_[i].window.span;
    while (at < summary.windows.size() &&
           summary.windows[at].begin_ns < span.begin_ns) {
      ++at;
    }
    if (at == summary.windows.size()) return;
    if (steps_[i].use != StepUse::kUsed || summary.windows[at] != span) {
      continue;
    }
    strip_.series.AddWindow(i, summary.series, at);
  }
}

void StripDrawer::AddLeftOutSteps(const HostView& host) {
  std::vector<StepWindow> windows;
  std::vector<size_t> places;
  for (size_t i = 0; i < windows_.size(); ++i) {
    if (steps_[step_of_[i]].use == StepUse::kUsed) continue;
    windows.push_back(windows_[i]);
    places.push_back(step_of_[i]);
  }
  if (windows.empty()) return;
  StepSeries series(windows.size());
  WindowSeries filled(view_.attribution, windows, series);
  VisitSegments(view_.process, view_.attribution, view_.device, windows,
                [&](const Segment& segment) { filled.AddSegment(segment); });
  for (size_t i = 0; i < view_.process.activities.size(); ++i) {
    const Activity& activity = view_.process.activities[i];
    if (activity.device != view_.device) continue;
    filled.AddActivity({activity.begin_ns, activity.end_ns},
                       view_.attribution.activities[i]);
  }
  FindGaps(view_.process, view_.attribution, view_.steps, host, view_.device,
           windows, [&](const Gap& gap) { filled.AddGap(gap, gap.window); });
  for (size_t i = 0; i < windows.size(); ++i) {
    strip_.series.AddWindow(places[i], series, i);
  }
}

void StripDrawer::RankGaps(const HostView& host) {
  FindGaps(view_.process, view_.attribution, view_.steps, host, view_.device,
           windows_, [&](const Gap& gap) {
             if (steps_[step_of_[gap.window]].use != StepUse::kUsed) return;
             Gap kept = gap;
             kept.unknown_in.clear();
             kept.looks.clear();
             Rank(std::move(kept));
           });
  for (auto& [cell, gaps] : longest_) KeepLongest(gaps);
}

void StripDrawer::KeepGaps(const HostView& host,
                           const std::vector<size_t>& drawn) {
  std::vector<bool> wanted(steps_.size());
  for (const size_t step : drawn) wanted[step] = true;
  for (const auto& [cell, gaps] : longest_) {
    for (const Gap& gap : gaps) wanted[step_of_[gap.window]] = true;
  }
  std::vector<StepWindow> windows;
  for (size_t i = 0; i < windows_.size(); ++i) {
    if (wanted[step_of_[i]]) windows.push_back(windows_[i]);
  }
  if (windows.empty()) return;
  FindGaps(view_.process, view_.attribution, view_.steps, host, view_.device,
           windows, [&](const Gap& gap) {
             gaps_.push_back(gap);
             gaps_.back().unknown_in.clear();
             gaps_.back().looks.clear();
             if (gaps_.size() > kMostGaps) KeepLonger(gaps_);
           });
}

void StripDrawer::Rank(Gap gap) {
  std::vector<Gap>& gaps = longest_[CellOf(gap)];
  gaps.push_back(std::move(gap));
  if (gaps.size() > 10 * kGapsPerCell) KeepLongest(gaps);
}

StripDrawer::Cell StripDrawer::CellOf(const Gap& gap) const {
  const auto cause = static_cast<IdleCause>(
      std::max_element(gap.ns.begin(), gap.ns.end()) - gap.ns.begin());
  const size_t charged = ChargedTo(view_.attribution, gap);
  if (gap.between_steps || charged == kNoActivity) return {cause, std::nullopt};
  return {cause, view_.attribution.activities[charged].layer_class};
}

uint32_t StripDrawer::NameOf(CallId call) const {
  if (!call.known()) return 0;
  const Call& of = view_.process.calls[call.value()];
  return texts_.NumberOf(ApiName(model_.entry_points[of.entry.value()]));
}

LongGap StripDrawer::Describe(const Gap& gap) const {
  const auto& [cause, layer_class] = CellOf(gap);
  const MarkedWindow& step = steps_[step_of_[gap.window]];
  LongGap out{.span = gap.span,
              .process = step.process,
              .step = step.step,
              .cause = cause,
              .layer_class = layer_class,
              .cause_ns = gap.ns[static_cast<size_t>(cause)],
              .before = NameOf(gap.drained_in),
              .after = 0,
              .call = 0,
              .timeline = std::nullopt};
  if (gap.ended_by == kNoActivity) return out;
  const Attributed& ending = view_.attribution.activities[gap.ended_by];
  out.call = NameOf(ending.submitted_by);
  out.after = texts_.NumberOf(OpName(
      model_,
      IdentityOf(model_, view_.process, view_.attribution, gap.ended_by)));
  return out;
}

std::vector<LongGap> StripDrawer::LongestGaps() const {
  std::vector<LongGap> out;
  for (const auto& [cell, gaps] : longest_) {
    for (const Gap& gap : gaps) out.push_back(Describe(gap));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LongGap& a, const LongGap& b) {
                     return a.span.length_ns() > b.span.length_ns();
                   });
  return out;
}

StepStrip InBins(StepStrip strip, size_t most) {
  for (uint64_t size = 1; strip.steps.size() > most; size *= 2) {
    std::vector<StripStep> bins;
    std::vector<size_t> bin_of;
    for (const StripStep& step : strip.steps) {
      if (!bins.empty() && Together(bins.back(), step) &&
          bins.back().count + step.count <= 2 * size) {
        bins.back().count += step.count;
        bins.back().ns += step.ns;
      } else {
        bins.push_back(step);
      }
      bin_of.push_back(bins.size() - 1);
    }
    if (bins.size() == strip.steps.size()) return {};  // none fits a neighbour
    StepSeries series(bins.size());
    for (size_t i = 0; i < bin_of.size(); ++i) {
      series.AddWindow(bin_of[i], strip.series, i);
    }
    strip = {std::move(bins), std::move(series)};
  }
  return strip;
}

}  // namespace dltap::analyzer
