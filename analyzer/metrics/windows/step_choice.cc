// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/step_choice.h"

#include <algorithm>
#include <vector>

#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/windows/window.h"

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

// Whether little can be missing of the last step's window: the others hardly
// go on after their last work, or it is as long as they are.
bool LooksWhole(const Steps& steps, const std::vector<StepWindow>& windows) {
  if (windows.back().step + 1 != steps.steps.size()) return true;
  std::vector<int64_t> lengths;
  std::vector<int64_t> tails;
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    const StepWindow& window = windows[i];
    if (steps.steps[window.step].use != StepUse::kUsed) continue;
    lengths.push_back(window.span.length_ns());
    tails.push_back(window.span.end_ns - window.work_end_ns);
  }
  if (lengths.size() < kEnoughSteps) return true;
  const double least = kWholeStep * static_cast<double>(Median(lengths));
  return static_cast<double>(Median(lengths) - Median(tails)) >= least ||
         static_cast<double>(windows.back().span.length_ns()) >= least;
}

void LeaveOutUnfinished(const Process& /*process*/, const Windows& windows,
                        Steps& steps) {
  Step& last = steps.steps.back();
  if (last.use != StepUse::kUsed || last.end_known) return;
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

bool AnyUsed(const Steps& steps) {
  return std::any_of(
      steps.steps.begin(), steps.steps.end(),
      [](const Step& step) { return step.use == StepUse::kUsed; });
}

}  // namespace

std::string_view Name(StepUse use) {
  // Passes forward alone: an evaluation, or what a policy plays.
  constexpr std::string_view kNames[kStepUses] = {
      "used",         "warm_up",    "autotune",
      "forward_only", "incomplete", "not_observed",
      "not_selected", "delayed",    "evaluation_inside"};
  return kNames[static_cast<size_t>(use)];
}

void KeepSelected(const Selection& selection, int64_t number, Steps& steps) {
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const auto nth = static_cast<size_t>(
        std::max<int64_t>(0, number + static_cast<int64_t>(i)));
    StepUse& use = steps.steps[i].use;
    if (selection.warm_up) {
      if (nth < *selection.warm_up) {
        use = StepUse::kWarmUp;
      } else if (use == StepUse::kWarmUp) {
        use = StepUse::kUsed;
      }
    }
    if (!selection.steps) continue;
    const auto& [first, last] = *selection.steps;
    use = nth < first || nth > last ? StepUse::kNotSelected : StepUse::kUsed;
  }
}

void ChooseSteps(const Process& process, const ProcessAttribution& attribution,
                 const Selection& selection, Steps& steps) {
  LeaveOutUnseen(process, attribution, true, steps);
  KeepSelected(selection, 0, steps);
}

void LeaveOutUnseen(const Process& process,
                    const ProcessAttribution& attribution, bool to_the_end,
                    Steps& steps) {
  const bool may_change = to_the_end || !process.not_observed.empty();
  if (steps.steps.empty() || !may_change) return;
  const Windows windows = WindowsOf(process, attribution, steps);
  const auto try_to = [&](auto leave_out) {
    Steps fewer = steps;
    leave_out(process, windows, fewer);
    if (AnyUsed(fewer)) steps = std::move(fewer);
  };
  if (to_the_end) try_to(LeaveOutUnfinished);
  try_to(LeaveOutUnobserved);
}

}  // namespace dltap::analyzer
