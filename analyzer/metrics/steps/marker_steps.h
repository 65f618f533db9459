// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_MARKER_STEPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_MARKER_STEPS_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The steps that the program marked itself: every ProfilerStep counts. Other
// ranges that say step or iteration count if most GPU time was submitted
// inside them. Nested markers are one step. Empty: no such marker. What began
// before `from_ns` is not looked at.
std::vector<Step> MarkedSteps(const TraceModel& model, const Process& process,
                              const ProcessAttribution& attribution,
                              int64_t from_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_MARKER_STEPS_H_
