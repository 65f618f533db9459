// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_DELAYS_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_DELAYS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/layer_class.h"
#include "analyzer/model/trace_model.h"

// Runs in which dltap delayed library calls, one class at a time, in windows
// that alternate with windows without delay; METRICS.md "Sensitivity".
namespace dltap::analyzer {

// What one window with a delay did to the steps inside it.
struct DelayEffect {
  LayerClass layer_class;
  int64_t delay_ns;
  uint64_t steps = 0;       // inside the window; 0: nothing else is known
  uint64_t baseline = 0;    // inside the windows without delay beside it
  double calls = 0;         // delayed, per step
  double longer_ns = 0;     // mean step here less the baseline's mean
  double variance = 0;      // of longer_ns, by the scatter of the steps
  bool steps_found = true;  // in all of the process

  double injected_ns() const { return calls * static_cast<double>(delay_ns); }
  bool is_usable() const;

  auto operator<=>(const DelayEffect&) const = default;
};

// One for each window with a delay, in time. `steps` are those found, before
// delayed ones are left out; step times are those of `device`.
std::vector<DelayEffect> DelayEffects(const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps, DeviceId device);

// Leaves those steps out that a window with a delay, or without activities,
// touches. A step's time ends in the next step, so the last before a delay is
// one of them. Never the only ones: what would leave none stays.
void LeaveOutDelayed(const Process& process, Steps& steps);

// WholeRun without the windows with delays, or without activities.
std::vector<StepWindow> UndelayedRun(const Process& process, DeviceId device);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_DELAYS_H_
