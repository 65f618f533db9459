// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/window.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analyzer/model/near_search.h"

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
size_t StepAt(const std::vector<Step>& steps, int64_t at_ns, size_t& near) {
  near = FirstFrom(steps.size(), near,
                   [&](size_t i) { return steps[i].begin_ns <= at_ns; });
  if (near == 0) return steps.size();
  const size_t index = near - 1;
  return at_ns < steps[index].end_ns ? index : steps.size();
}

// When the work of each step runs on a device.
struct WorkTimes {
  std::vector<int64_t> first;  // activity of each step
  std::vector<int64_t> first_kernel;
  std::vector<int64_t> end;        // of the last activity of each step
  std::vector<int64_t> submitted;  // the last activity of each step
  int64_t after_last = kNever;     // first activity past the last step
};

// Copies on streams of their own may run before the step in front of theirs has
// begun to compute, where the host is far ahead: these begin no step.
WorkTimes WithoutCopiesAhead(WorkTimes work) {
  const std::vector<int64_t>& kernel = work.first_kernel;
  for (size_t i = 1; i < kernel.size(); ++i) {
    const bool ahead = kernel[i - 1] != kNever && work.first[i] < kernel[i - 1];
    if (ahead && kernel[i] != kNever) work.first[i] = kernel[i];
  }
  return work;
}

WorkTimes FindWork(const Process& process,
                   const ProcessAttribution& attribution, const Steps& steps,
                   DeviceId device) {
  const size_t n = steps.steps.size();
  WorkTimes work{.first = std::vector<int64_t>(n, kNever),
                 .first_kernel = std::vector<int64_t>(n, kNever),
                 .end = std::vector<int64_t>(n, 0),
                 .submitted = std::vector<int64_t>(n, 0)};
  size_t near = 0;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device) continue;
    const int64_t at =
        SubmittedAt(process, attribution.activities[i], activity);
    const size_t step = StepAt(steps.steps, at, near);
    if (step < n) {
      work.first[step] = std::min(work.first[step], activity.begin_ns);
      if (activity.kind == ActivityKind::kKernel) {
        work.first_kernel[step] =
            std::min(work.first_kernel[step], activity.begin_ns);
      }
      work.end[step] = std::max(work.end[step], activity.end_ns);
      work.submitted[step] = std::max(work.submitted[step], at);
    }
    if (step == n && at >= steps.steps.back().end_ns) {
      work.after_last = std::min(work.after_last, activity.begin_ns);
    }
  }
  return work;
}

// A step whose records are missing has a window too, so that the step before
// it does not get its time.
void AddUnobserved(const Process& process, const Steps& steps, DeviceId device,
                   std::vector<int64_t>& first) {
  for (const NotObserved& span : process.not_observed) {
    if (span.device != device) continue;
    for (size_t i = 0; i < first.size(); ++i) {
      const Step& step = steps.steps[i];
      if (first[i] == kNever && step.begin_ns >= span.begin_ns &&
          step.begin_ns < span.end_ns) {
        first[i] = step.begin_ns;
      }
    }
  }
}

// Where a step ends that no other follows on the device.
int64_t EndOfLast(const WorkTimes& work, const Steps& steps, size_t step) {
  const int64_t begin_ns = work.first[step];
  const int64_t end =
      std::max({work.end[step], steps.steps[step].end_ns, begin_ns});
  const bool cut = work.after_last != kNever && work.after_last > begin_ns;
  return cut ? std::min(end, work.after_last) : end;
}

std::vector<int64_t> RecordingEnds(const Process& process, DeviceId device) {
  std::vector<int64_t> ends;
  for (const NotObserved& span : process.not_observed) {
    if (span.device != device) continue;
    if (span.cause != NotObservedCause::kRecordingOff) continue;
    ends.push_back(span.begin_ns);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

// Where recording ends after each step, as by a range around it, so do the
// steps. Elsewhere an end may lie inside a step, of which nobody knows the
// rest.
void EndWithRecording(const Process& process, DeviceId device,
                      const WorkTimes& work, std::vector<StepWindow>& windows) {
  const std::vector<int64_t> ends = RecordingEnds(process, device);
  if (2 * ends.size() < windows.size()) return;
  std::vector<StepWindow> shorter = windows;
  size_t cut = 0;
  for (StepWindow& window : shorter) {
    const auto end =
        std::lower_bound(ends.begin(), ends.end(), work.submitted[window.step]);
    if (end == ends.end() || *end >= window.span.end_ns) continue;
    window.span.end_ns =
        std::min(window.span.end_ns, std::max(*end, work.end[window.step]));
    ++cut;
  }
  if (2 * cut >= windows.size()) windows = std::move(shorter);
}

// What the host does before passes forward alone is theirs: it makes their
// loader. A step in front of them ends as long after its work as the step
// before it did.
int64_t EndBeforePasses(const WorkTimes& work, const Steps& steps,
                        size_t step) {
  const auto is_pass = [&steps](size_t i) {
    return steps.steps[i].use == StepUse::kEvaluation;
  };
  if (step == 0 || step + 1 == steps.steps.size() || !is_pass(step + 1) ||
      is_pass(step) || is_pass(step - 1) || work.end[step] == 0 ||
      work.end[step - 1] == 0) {
    return kNever;
  }
  const int64_t pause = work.first[step] - work.end[step - 1];
  return work.end[step] + std::max<int64_t>(0, pause);
}

std::vector<StepWindow> Between(const WorkTimes& work, const Steps& steps) {
  const std::vector<int64_t>& first = work.first;
  const size_t n = first.size();
  std::vector<StepWindow> windows;
  for (size_t step = 0; step < n; ++step) {
    if (first[step] == kNever) continue;
    int64_t end = kNever;
    for (size_t next = step + 1; next < n && end == kNever; ++next) {
      end = first[next];
    }
    // Work of no step, such as trials, may lie before the next one.
    if (end == kNever || !steps.steps[step].end_known) {
      end = std::min(end, EndOfLast(work, steps, step));
    }
    end = std::min(end, EndBeforePasses(work, steps, step));
    // Streams may interleave two steps; windows stay disjoint.
    const int64_t begin =
        windows.empty() ? first[step]
                        : std::max(first[step], windows.back().span.end_ns);
    if (begin < end) {
      windows.push_back({{begin, end}, step, work.end[step]});
    }
  }
  return windows;
}

}  // namespace

std::vector<StepWindow> WholeRun(const Process& process, DeviceId device) {
  Interval span{kNever, 0};
  for (const Activity& activity : process.activities) {
    if (activity.device != device) continue;
    span.begin_ns = std::min(span.begin_ns, activity.begin_ns);
    span.end_ns = std::max(span.end_ns, activity.end_ns);
  }
  if (span.begin_ns == kNever) return {};
  return {{span, 0}};
}

std::vector<StepWindow> AllStepWindows(const Process& process,
                                       const ProcessAttribution& attribution,
                                       const Steps& steps, DeviceId device) {
  if (steps.steps.empty()) return {};
  WorkTimes work = FindWork(process, attribution, steps, device);
  std::vector<int64_t>& first = work.first;
  if (std::all_of(first.begin(), first.end(),
                  [](int64_t at) { return at == kNever; })) {
    return {};
  }
  AddUnobserved(process, steps, device, first);
  std::vector<StepWindow> windows = Between(work, steps);
  // Where threads take turns, steps lie in each other.
  std::vector<StepWindow> by_kernels = Between(WithoutCopiesAhead(work), steps);
  if (by_kernels.size() >= windows.size()) windows = std::move(by_kernels);
  EndWithRecording(process, device, work, windows);
  return windows;
}

std::vector<StepWindow> StepWindows(const Process& process,
                                    const ProcessAttribution& attribution,
                                    const Steps& steps, DeviceId device) {
  if (steps.steps.empty()) return WholeRun(process, device);
  std::vector<StepWindow> windows =
      AllStepWindows(process, attribution, steps, device);
  std::erase_if(windows, [&steps](const StepWindow& window) {
    return steps.steps[window.step].use != StepUse::kUsed;
  });
  return windows;
}

int64_t InsideNs(const std::vector<StepWindow>& windows, Interval span,
                 size_t& near) {
  near = FirstFrom(windows.size(), near, [&](size_t i) {
    return windows[i].span.end_ns <= span.begin_ns;
  });
  auto it = windows.begin() + static_cast<ptrdiff_t>(near);
  int64_t ns = 0;
  for (; it != windows.end() && it->span.begin_ns < span.end_ns; ++it) {
    ns += CommonNs(it->span, span);
  }
  return ns;
}

}  // namespace dltap::analyzer
