// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One step on the timeline of one device: from the first activity that the
// step submitted to the first one of the step after it.
struct StepWindow {
  Interval span;
  size_t step;  // into Steps::steps; 0 when the whole run is one window
  int64_t work_end_ns = 0;  // of the step's last activity; 0: none of it known
};

// Of every step that has work on the device, used or not, in time, disjoint.
// A step in front of passes forward alone ends as long after its work as the
// step before it did, at the latest.
// A step whose records are missing begins with its first call. Where recording
// ends after most steps (a range), they end with it and their work. The last
// one ends with its work and with the host's end of it, or where later work
// begins. Empty without steps.
std::vector<StepWindow> AllStepWindows(const Process& process,
                                       const ProcessAttribution& attribution,
                                       const Steps& steps, DeviceId device);

// The windows over which a device is judged, in time, disjoint: those of the
// used steps. Without steps: one, from the device's first activity to the end
// of its last.
std::vector<StepWindow> StepWindows(const Process& process,
                                    const ProcessAttribution& attribution,
                                    const Steps& steps, DeviceId device);

// From the device's first activity to the end of its last; none without any.
std::vector<StepWindow> WholeRun(const Process& process, DeviceId device);

// The part of `span` inside the windows, which are disjoint and in time. `near`
// is where the last question was answered; any place gives the same number.
int64_t InsideNs(const std::vector<StepWindow>& windows, Interval span,
                 size_t& near);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_WINDOW_H_
