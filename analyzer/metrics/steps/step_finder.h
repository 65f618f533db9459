// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEP_FINDER_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEP_FINDER_H_

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The program's own markers win; else the ends of the updates, else the
// outermost loop that repeats; see METRICS.md "Steps".
Steps FindSteps(const TraceModel& model, const Process& process,
                const ProcessAttribution& attribution);

// When calls that load code (modules, libraries of kernels) returned, in time.
std::vector<int64_t> ModuleLoads(const TraceModel& model,
                                 const Process& process);

// The same without a look for warm-up (warm_up.h). What was submitted before
// `from_ns` is not looked at.
Steps FindIterations(const TraceModel& model, const Process& process,
                     const ProcessAttribution& attribution, int64_t from_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEP_FINDER_H_
