// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/delays.h"

#include <algorithm>
#include <utility>

#include "analyzer/metrics/base/median.h"

namespace dltap::analyzer {
namespace {

// A mean of fewer is one step's luck.
constexpr uint64_t kFewestSteps = 2;
constexpr int64_t kOutlier = 3;  // times the median

// A step on the host's time line with its length on the device.
struct TimedStep {
  int64_t begin_ns;
  int64_t end_ns;
  int64_t device_ns;
};

std::vector<TimedStep> TimedSteps(const Process& process,
                                  const ProcessAttribution& attribution,
                                  const Steps& steps, DeviceId device) {
  std::vector<TimedStep> out;
  if (steps.found_by == StepsFoundBy::kNone) return out;
  for (const StepWindow& window :
       StepWindows(process, attribution, steps, device)) {
    const Step& step = steps.steps[window.step];
    out.push_back({step.begin_ns, step.end_ns, window.span.length_ns()});
  }
  return out;
}

std::vector<TimedStep> Inside(const std::vector<TimedStep>& steps,
                              const DelayWindow& window) {
  std::vector<TimedStep> out;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(out),
               [&](const TimedStep& step) {
                 return step.begin_ns >= window.begin_ns &&
                        step.end_ns <= window.end_ns;
               });
  return out;
}

// Of at least one step. Means, since every sixth call may be the one that the
// GPU waits for.
double MeanNs(const std::vector<TimedStep>& steps) {
  double sum_ns = 0;
  for (const TimedStep& step : steps) {
    sum_ns += static_cast<double>(step.device_ns);
  }
  return sum_ns / static_cast<double>(steps.size());
}

// Of the mean of at least two steps.
double VarianceOfMean(const std::vector<TimedStep>& steps) {
  const double mean_ns = MeanNs(steps);
  double sum = 0;
  for (const TimedStep& step : steps) {
    const double error_ns = static_cast<double>(step.device_ns) - mean_ns;
    sum += error_ns * error_ns;
  }
  const auto n = static_cast<double>(steps.size());
  return sum / (n - 1) / n;
}

// A step that another program kept from the CPU tells nothing of a delay.
void LeaveOutliersOut(std::vector<TimedStep>& steps) {
  if (steps.empty()) return;
  std::vector<int64_t> ns;
  for (const TimedStep& step : steps) ns.push_back(step.device_ns);
  const int64_t longest_ns = kOutlier * Median(std::move(ns));
  std::erase_if(steps, [=](const TimedStep& step) {
    return step.device_ns > longest_ns;
  });
}

bool IsPlain(const DelayWindow& window) {
  return window.delay_ns == 0 && !window.source_off;
}

double DelayedCallsPerStep(const Process& process,
                           const std::vector<TimedStep>& steps) {
  const std::vector<int64_t>& calls = process.delayed_calls;
  int64_t count = 0;
  for (const TimedStep& step : steps) {
    count += std::lower_bound(calls.begin(), calls.end(), step.end_ns) -
             std::lower_bound(calls.begin(), calls.end(), step.begin_ns);
  }
  return static_cast<double>(count) / static_cast<double>(steps.size());
}

DelayEffect EffectOf(const Process& process, size_t index,
                     const std::vector<TimedStep>& all) {
  const DelayWindow& window = process.delays[index];
  DelayEffect effect{window.layer_class, window.delay_ns};
  const std::vector<TimedStep> here = Inside(all, window);
  std::vector<TimedStep> baseline;
  for (const size_t beside : {index - 1, index + 1}) {
    if (beside >= process.delays.size()) continue;  // also -1
    if (!IsPlain(process.delays[beside])) continue;
    for (const TimedStep& step : Inside(all, process.delays[beside])) {
      baseline.push_back(step);
    }
  }
  if (here.empty()) return effect;
  effect.steps = here.size();
  effect.baseline = baseline.size();
  effect.calls = DelayedCallsPerStep(process, here);
  if (!effect.is_usable()) return effect;
  effect.longer_ns = MeanNs(here) - MeanNs(baseline);
  effect.variance = VarianceOfMean(here) + VarianceOfMean(baseline);
  return effect;
}

}  // namespace

bool DelayEffect::is_usable() const {
  return steps >= kFewestSteps && baseline >= kFewestSteps && calls > 0;
}

std::vector<DelayEffect> DelayEffects(const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps, DeviceId device) {
  std::vector<DelayEffect> out;
  if (process.delays.empty()) return out;
  std::vector<TimedStep> all = TimedSteps(process, attribution, steps, device);
  LeaveOutliersOut(all);
  for (size_t i = 0; i < process.delays.size(); ++i) {
    if (process.delays[i].delay_ns != 0) {
      out.push_back(EffectOf(process, i, all));
      out.back().steps_found = steps.found_by != StepsFoundBy::kNone;
    }
  }
  return out;
}

void LeaveOutDelayed(const Process& process, Steps& steps) {
  Steps fewer = steps;
  for (const DelayWindow& window : process.delays) {
    if (IsPlain(window)) continue;
    for (size_t i = 0; i < fewer.steps.size(); ++i) {
      Step& step = fewer.steps[i];
      const bool is_last = i + 1 == fewer.steps.size();
      const int64_t end_ns = fewer.steps[is_last ? i : i + 1].end_ns;
      // Where activities were off, nothing else is known of the step.
      const bool counts =
          step.use == StepUse::kUsed || step.use == StepUse::kNotObserved;
      if (counts && end_ns > window.begin_ns && step.begin_ns < window.end_ns) {
        step.use = StepUse::kDelayed;
      }
    }
  }
  const bool any_used =
      std::any_of(fewer.steps.begin(), fewer.steps.end(),
                  [](const Step& step) { return step.use == StepUse::kUsed; });
  if (any_used) steps = std::move(fewer);
}

std::vector<StepWindow> UndelayedRun(const Process& process, DeviceId device) {
  std::vector<StepWindow> windows;
  for (const StepWindow& run : WholeRun(process, device)) {
    int64_t from_ns = run.span.begin_ns;
    const int64_t end_ns = run.span.end_ns;
    for (const DelayWindow& delay : process.delays) {
      if (IsPlain(delay)) continue;
      const int64_t to_ns = std::min(delay.begin_ns, end_ns);
      if (from_ns < to_ns) windows.push_back({{from_ns, to_ns}, 0});
      from_ns = std::max(from_ns, delay.end_ns);
    }
    if (from_ns < end_ns) windows.push_back({{from_ns, end_ns}, 0});
  }
  return windows;
}

}  // namespace dltap::analyzer
