// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/window.h"

#include <algorithm>
#include <limits>

namespace dltap::analyzer {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// When the host submitted an activity; its own begin if that is not known.
int64_t SubmittedAt(const Process& process, const Attributed& attributed,
                    const Activity& activity) {
  if (!attributed.submitted_by.known()) return activity.begin_ns;
  return process.calls[attributed.submitted_by.value()].begin_ns;
}

// The step that a moment of the host lies in; steps.size() after the last.
size_t StepAt(const std::vector<Step>& steps, int64_t at_ns) {
  const auto after = std::upper_bound(
      steps.begin(), steps.end(), at_ns,
      [](int64_t at, const Step& step) { return at < step.begin_ns; });
  if (after == steps.begin()) return steps.size();
  const size_t index = after - steps.begin() - 1;
  return at_ns < steps[index].end_ns ? index : steps.size();
}

// Of a run with delays, what lies between them.
std::vector<StepWindow> Undelayed(const Process& process, Interval span) {
  std::vector<StepWindow> windows;
  int64_t from_ns = span.begin_ns;
  for (const DelayWindow& delay : process.delays) {
    if (delay.delay_ns == 0 && !delay.source_off) continue;
    const int64_t to_ns = std::min(delay.begin_ns, span.end_ns);
    if (from_ns < to_ns) windows.push_back({{from_ns, to_ns}, 0});
    from_ns = std::max(from_ns, delay.end_ns);
  }
  if (from_ns < span.end_ns) windows.push_back({{from_ns, span.end_ns}, 0});
  return windows;
}

std::vector<StepWindow> WholeRun(const Process& process, DeviceId device) {
  Interval span{kNever, 0};
  for (const Activity& activity : process.activities) {
    if (activity.device != device) continue;
    span.begin_ns = std::min(span.begin_ns, activity.begin_ns);
    span.end_ns = std::max(span.end_ns, activity.end_ns);
  }
  if (span.begin_ns == kNever) return {};
  return Undelayed(process, span);
}

}  // namespace

std::vector<StepWindow> StepWindows(const Process& process,
                                    const ProcessAttribution& attribution,
                                    const Steps& steps, DeviceId device) {
  if (steps.steps.empty()) return WholeRun(process, device);
  const size_t n = steps.steps.size();
  std::vector<int64_t> first(n, kNever);  // first activity of each step
  int64_t last_end = 0;                   // of the last step's activities
  int64_t after_last = kNever;            // first activity past the last step
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device) continue;
    const int64_t at =
        SubmittedAt(process, attribution.activities[i], activity);
    const size_t step = StepAt(steps.steps, at);
    if (step < n) first[step] = std::min(first[step], activity.begin_ns);
    if (step + 1 == n) last_end = std::max(last_end, activity.end_ns);
    if (step == n && at >= steps.steps.back().end_ns) {
      after_last = std::min(after_last, activity.begin_ns);
    }
  }
  std::vector<StepWindow> windows;
  for (size_t step = 0; step < n; ++step) {
    if (steps.steps[step].use != StepUse::kUsed || first[step] == kNever) {
      continue;
    }
    int64_t end = kNever;
    for (size_t next = step + 1; next < n && end == kNever; ++next) {
      end = first[next];
    }
    if (end == kNever) {
      // Nothing follows the last step but work that overlaps it.
      end = std::max(last_end, first[step]);
      if (after_last != kNever && after_last > first[step]) {
        end = std::min(end, after_last);
      }
    }
    // Streams may interleave two steps; windows stay disjoint.
    const int64_t begin =
        windows.empty() ? first[step]
                        : std::max(first[step], windows.back().span.end_ns);
    if (begin < end) windows.push_back({{begin, end}, step});
  }
  return windows;
}

}  // namespace dltap::analyzer
