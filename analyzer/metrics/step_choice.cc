// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/step_choice.h"

#include <algorithm>
#include <vector>

#include "analyzer/metrics/window.h"

namespace dltap::analyzer {
namespace {

constexpr double kWholeStep = 0.9;     // of the usual window
constexpr size_t kEnoughSteps = 3;     // to know what is usual
constexpr double kMuchMissing = 0.25;  // of a window

using Windows = std::vector<std::vector<StepWindow>>;  // by device

Windows WindowsOf(const Process& process, const ProcessAttribution& attribution,
                  const Steps& steps) {
  Windows windows;
  for (size_t d = 0; d < process.devices.size(); ++d) {
    windows.push_back(AllStepWindows(process, attribution, steps, DeviceId(d)));
  }
  return windows;
}

// A marker with an end of its own: not the begin of the next one.
bool IsClosed(const Process& process, const Step& step) {
  return std::any_of(process.ranges.begin(), process.ranges.end(),
                     [&step](const Range& range) {
                       return range.kind == RangeKind::kStep &&
                              range.end_ns == step.end_ns;
                     });
}

// Whether the last step's window is as long as those of the others.
bool LooksWhole(const Steps& steps, const std::vector<StepWindow>& windows) {
  if (windows.back().step + 1 != steps.steps.size()) return true;
  std::vector<int64_t> others;
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    if (steps.steps[windows[i].step].use != StepUse::kUsed) continue;
    others.push_back(windows[i].span.length_ns());
  }
  if (others.size() < kEnoughSteps) return true;
  const auto middle = others.begin() + others.size() / 2;
  std::nth_element(others.begin(), middle, others.end());
  return static_cast<double>(windows.back().span.length_ns()) >=
         kWholeStep * static_cast<double>(*middle);
}

void LeaveOutUnfinished(const Process& process, const Windows& windows,
                        Steps& steps) {
  Step& last = steps.steps.back();
  if (last.use != StepUse::kUsed || IsClosed(process, last)) return;
  bool any = false;
  for (const std::vector<StepWindow>& of_device : windows) {
    if (of_device.empty()) continue;
    any = true;
    if (LooksWhole(steps, of_device)) return;
  }
  if (any) last.use = StepUse::kIncomplete;
}

int64_t NotObservedNs(const Process& process, DeviceId device, Interval span) {
  int64_t ns = 0;
  for (const NotObserved& missing : process.not_observed) {
    if (missing.device != device) continue;
    ns += CommonNs(span, {missing.begin_ns, missing.end_ns});
  }
  return ns;
}

void LeaveOutUnobserved(const Process& process, const Windows& windows,
                        Steps& steps) {
  if (process.not_observed.empty()) return;
  for (size_t d = 0; d < windows.size(); ++d) {
    for (const StepWindow& window : windows[d]) {
      Step& step = steps.steps[window.step];
      const auto missing =
          static_cast<double>(NotObservedNs(process, DeviceId(d), window.span));
      const auto length = static_cast<double>(window.span.length_ns());
      if (step.use == StepUse::kUsed && missing > kMuchMissing * length) {
        step.use = StepUse::kNotObserved;
      }
    }
  }
}

void KeepSelected(const Selection& selection, Steps& steps) {
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    StepUse& use = steps.steps[i].use;
    if (selection.warm_up) {
      if (i < *selection.warm_up) {
        use = StepUse::kWarmUp;
      } else if (use == StepUse::kWarmUp) {
        use = StepUse::kUsed;
      }
    }
    if (!selection.steps) continue;
    const auto& [first, last] = *selection.steps;
    use = i < first || i > last ? StepUse::kNotSelected : StepUse::kUsed;
  }
}

bool AnyUsed(const Steps& steps) {
  return std::any_of(
      steps.steps.begin(), steps.steps.end(),
      [](const Step& step) { return step.use == StepUse::kUsed; });
}

}  // namespace

std::string_view Name(StepUse use) {
  constexpr std::string_view kNames[kStepUses] = {
      "used",       "warm_up",      "autotune",     "evaluation",
      "incomplete", "not_observed", "not_selected", "delayed"};
  return kNames[static_cast<size_t>(use)];
}

void ChooseSteps(const Process& process, const ProcessAttribution& attribution,
                 const Selection& selection, Steps& steps) {
  if (steps.steps.empty()) return;
  const Windows windows = WindowsOf(process, attribution, steps);
  const auto try_to = [&](auto leave_out) {
    Steps fewer = steps;
    leave_out(process, windows, fewer);
    if (AnyUsed(fewer)) steps = std::move(fewer);
  };
  try_to(LeaveOutUnfinished);
  try_to(LeaveOutUnobserved);
  KeepSelected(selection, steps);
}

}  // namespace dltap::analyzer
