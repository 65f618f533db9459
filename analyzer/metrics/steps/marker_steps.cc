// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/marker_steps.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

namespace dltap::analyzer {
namespace {

bool IsStepName(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {
      "ProfilerStep#", "step",       "Step",          "iteration",
      "Iteration",     "train_step", "training_step", "iter "};
  return std::any_of(
      std::begin(kPrefixes), std::end(kPrefixes),
      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// The outermost of the ranges for which `is_marker` holds, in time.
template <typename IsMarker>
std::vector<Step> Outermost(const Process& process, int64_t from_ns,
                            IsMarker is_marker) {
  std::vector<Step> steps;
  for (const Range& range : process.ranges) {
    if (range.begin_ns < from_ns) continue;
    if (is_marker(range)) steps.push_back({range.begin_ns, range.end_ns});
  }
  std::stable_sort(
      steps.begin(), steps.end(),
      [](const Step& a, const Step& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Step> outermost;
  for (const Step& step : steps) {
    if (!outermost.empty() && step.begin_ns < outermost.back().end_ns) continue;
    outermost.push_back(step);
  }
  return outermost;
}

// Whether most of the GPU time was submitted inside the steps.
bool HoldMost(const std::vector<Step>& steps, const Process& process,
              const ProcessAttribution& attribution, int64_t from_ns) {
  int64_t inside = 0;
  int64_t all = 0;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    if (attributed.autotune) continue;
    const int64_t at =
        attributed.submitted_by.known()
            ? process.calls[attributed.submitted_by.value()].begin_ns
            : activity.begin_ns;
    if (at < from_ns) continue;
    const auto after = std::upper_bound(
        steps.begin(), steps.end(), at,
        [](int64_t t, const Step& step) { return t < step.begin_ns; });
    const int64_t ns = activity.end_ns - activity.begin_ns;
    all += ns;
    if (after != steps.begin() && at < std::prev(after)->end_ns) inside += ns;
  }
  return 2 * inside > all;
}

// What lies between two steps prepares the second one.
void CloseUp(std::vector<Step>& steps, int64_t longest_pause) {
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const int64_t next = steps[i + 1].begin_ns;
    if (next - steps[i].end_ns <= longest_pause) steps[i].end_ns = next;
  }
}

int64_t Longest(const std::vector<Step>& steps) {
  int64_t longest = 0;
  for (const Step& step : steps) {
    longest = std::max(longest, step.end_ns - step.begin_ns);
  }
  return longest;
}

}  // namespace

std::vector<Step> MarkedSteps(const TraceModel& model, const Process& process,
                              const ProcessAttribution& attribution,
                              int64_t from_ns) {
  std::vector<Step> steps = Outermost(process, from_ns, [](const Range& range) {
    return range.kind == RangeKind::kStep;
  });
  if (!steps.empty()) {
    // A longer pause is one of the profiler's schedule.
    CloseUp(steps, Longest(steps));
    return steps;
  }
  steps = Outermost(process, from_ns, [&model](const Range& range) {
    return (range.kind == RangeKind::kNvtx ||
            range.kind == RangeKind::kUserAnnotation) &&
           IsStepName(model.texts[range.name]);
  });
  if (!HoldMost(steps, process, attribution, from_ns)) return {};
  CloseUp(steps, std::numeric_limits<int64_t>::max());
  steps.back().end_known = false;  // the loader may come behind the range
  return steps;
}

}  // namespace dltap::analyzer
