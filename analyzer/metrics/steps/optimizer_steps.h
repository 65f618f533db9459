// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_OPTIMIZER_STEPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_OPTIMIZER_STEPS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The iterations `spans`, those joined that one range of an optimizer's step
// holds: it computes the loss and its gradients several times, as L-BFGS does.
// Empty where no such range is.
std::vector<TokenSpan> JoinByOptimizer(const TraceModel& model,
                                       const Process& process,
                                       const std::vector<CallToken>& tokens,
                                       const std::vector<TokenSpan>& spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_OPTIMIZER_STEPS_H_
