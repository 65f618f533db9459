// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/step_strip.h"

#include <algorithm>

#include "analyzer/metrics/add_arrays.h"
#include "analyzer/metrics/gaps.h"
#include "analyzer/metrics/host_view.h"
#include "analyzer/metrics/op_name.h"

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
  const auto middle =
      lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  std::erase_if(gaps, [limit = *middle](const Gap& gap) {
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

void Append(const StripStep& from, StripStep& into) {
  into.count += from.count;
  into.ns += from.ns;
  AddTo(into.class_ns, from.class_ns);
  AddTo(into.idle_ns, from.idle_ns);
  into.not_observed_ns += from.not_observed_ns;
}

}  // namespace

StripDrawer::StripDrawer(const TraceModel& model, const DeviceView& view,
                         const std::vector<MarkedWindow>& steps,
                         const std::vector<size_t>& drawn, PictureTexts& texts)
    : model_(model), view_(view), steps_(steps), texts_(texts) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const MarkedWindow& step = steps[i];
    strip_.push_back({.process = step.process,
                      .step = step.step,
                      .begin_ns = step.window.span.begin_ns,
                      .ns = step.window.span.length_ns(),
                      .use = step.use});
    if (!windows_.empty() &&
        windows_.back().span.end_ns > step.window.span.begin_ns) {
      continue;
    }
    windows_.push_back(step.window);
    strip_of_.push_back(i);
  }
  AddSegments();
  AddGaps(drawn);
}

void StripDrawer::AddSegments() {
  size_t at = 0;
  VisitSegments(view_.process, view_.attribution, view_.device, windows_,
                [&](const Segment& segment) {
                  while (windows_[at].span.end_ns <= segment.span.begin_ns) {
                    ++at;
                  }
                  if (segment.state == DeviceState::kIdle) return;
                  StripStep& step = strip_[strip_of_[at]];
                  const int64_t ns = segment.span.length_ns();
                  if (segment.leading == kNoActivity) {
                    step.not_observed_ns += ns;
                    return;
                  }
                  const LayerClass layer_class =
                      view_.attribution.activities[segment.leading].layer_class;
                  step.class_ns[static_cast<size_t>(layer_class)] += ns;
                });
}

void StripDrawer::AddGaps(const std::vector<size_t>& drawn) {
  std::vector<bool> is_drawn(steps_.size());
  for (const size_t step : drawn) is_drawn[step] = true;
  const HostView host(model_, view_.process, view_.attribution, view_.steps,
                      view_.device);
  FindGaps(view_.process, view_.attribution, view_.steps, host, view_.device,
           windows_, [&](const Gap& gap) {
             const size_t step = strip_of_[gap.window];
             AddTo(strip_[step].idle_ns, gap.ns);
             Gap kept = gap;
             kept.unknown_in.clear();
             if (is_drawn[step]) {
               gaps_.push_back(kept);
               if (gaps_.size() > kMostGaps) KeepLonger(gaps_);
             }
             if (steps_[step].use == StepUse::kUsed) Rank(std::move(kept));
           });
  for (auto& [cell, gaps] : longest_) KeepLongest(gaps);
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
  return texts_.NumberOf(model_.entry_points[of.entry.value()].symbol);
}

LongGap StripDrawer::Describe(const Gap& gap) const {
  const auto& [cause, layer_class] = CellOf(gap);
  const MarkedWindow& step = steps_[strip_of_[gap.window]];
  LongGap out{.span = gap.span,
              .process = step.process,
              .step = step.step,
              .cause = cause,
              .layer_class = layer_class,
              .cause_ns = gap.ns[static_cast<size_t>(cause)],
              .before = NameOf(gap.drained_in),
              .after = 0,
              .call = 0};
  if (gap.ended_by == kNoActivity) return out;
  const Attributed& ending = view_.attribution.activities[gap.ended_by];
  out.call = NameOf(ending.submitted_by);
  out.after = texts_.NumberOf(
      OpName(model_, IdentityOf(view_.process, view_.attribution, ending)));
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

std::vector<StripStep> InBins(std::vector<StripStep> steps, size_t most) {
  for (uint64_t size = 1; steps.size() > most; size *= 2) {
    std::vector<StripStep> bins;
    for (StripStep& step : steps) {
      if (!bins.empty() && Together(bins.back(), step) &&
          bins.back().count + step.count <= 2 * size) {
        Append(step, bins.back());
      } else {
        bins.push_back(step);
      }
    }
    if (bins.size() == steps.size()) return {};  // none fits its neighbour
    steps = std::move(bins);
  }
  return steps;
}

}  // namespace dltap::analyzer
