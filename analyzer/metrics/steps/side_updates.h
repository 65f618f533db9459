// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_SIDE_UPDATES_H_
#define DLTAP_ANALYZER_METRICS_STEPS_SIDE_UPDATES_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Sums that are kept of every batch, such as its loss, look like an update
// after each backward pass. Where an optimizer's kernels tell some updates, and
// others only do what stands beside these, the others end nothing: their spans
// are joined with the next. The last span is what follows the last update.
std::vector<TokenSpan> JoinSideUpdates(const std::vector<CallToken>& tokens,
                                       const std::vector<TokenSpan>& spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_SIDE_UPDATES_H_
