// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOW_H_
#define DLTAP_ANALYZER_METRICS_WINDOW_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/step_finder.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct Interval {
  int64_t begin_ns;
  int64_t end_ns;  // half open
  int64_t length_ns() const { return end_ns - begin_ns; }
};

// One used step on the timeline of one device: from the first activity that
// the step submitted to the first one of the step after it.
struct StepWindow {
  Interval span;
  size_t step;  // into Steps::steps; 0 when the whole run is one window
};

// The windows over which a device is judged, in time, disjoint. Without
// steps: one, from the device's first activity to the end of its last.
std::vector<StepWindow> StepWindows(const Process& process,
                                    const ProcessAttribution& attribution,
                                    const Steps& steps, DeviceId device);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOW_H_
