// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_ADAPTATIONS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_ADAPTATIONS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// `steps`, of `iterations`, where each step of several is ended by an optimizer
// and holds iterations that none ends: such ones elsewhere adapt weights to a
// task that is only looked at. With the passes behind them they are left out.
std::vector<TokenSpan> WithoutAdaptations(
    const std::vector<CallToken>& tokens,
    const std::vector<TokenSpan>& iterations,
    const std::vector<TokenSpan>& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_ADAPTATIONS_H_
