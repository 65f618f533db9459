// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_MODULE_RUNS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_MODULE_RUNS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Numbers the runs of XLA's modules that submitted the tokens (`run`), which
// are in the order of time. In front of the forward pass of a run that goes
// backward behind it, nothing is of the update or the backward pass of an
// iteration: XLA works out early what needs no input, such as the powers of an
// optimizer's decay, and by then the iteration before has ended. A run that
// goes backward and into an update begins a pass forward, with products or
// without.
void TellModuleRuns(const TraceModel& model, const Process& process,
                    std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_MODULE_RUNS_H_
