// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PARTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PARTS_H_

#include <cstddef>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// After how many iterations the same weights are trained again: 2 where two
// equal models take turns, or a model that is trained through another and that
// one. 1 where all iterations train one model, or the trace has no addresses of
// operands, or no optimizer's kernels say that weights stay where they are:
// those of one model may alternate between two buffers, as what each iteration
// casts them to does.
size_t PartsByWeights(const TraceModel& model, const Process& process,
                      const ProcessAttribution& attribution,
                      const std::vector<CallToken>& tokens,
                      const std::vector<TokenSpan>& iterations);

// Whether nearly all iterations have the same weights, forward and backward, as
// the one before: they train one model. False where the trace has no addresses
// of operands.
bool TrainOneModel(const TraceModel& model, const Process& process,
                   const std::vector<CallToken>& tokens,
                   const std::vector<TokenSpan>& iterations);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PARTS_H_
