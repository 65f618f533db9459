// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_LINE_SEARCH_STEPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_LINE_SEARCH_STEPS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// The iterations `spans` of a program whose optimizer computes the loss by
// itself, as L-BFGS does, those of one step joined. Without ranges, what the
// optimizer does with each gradient tells: a step begins where the largest
// entry alone is looked at before inner products make a direction. Of other
// losses an inner product is first (the slope along the direction), or two
// largest entries (of the gradient, and of the step that led to it).
// Empty if no such optimizer shows.
std::vector<TokenSpan> JoinLineSearches(const std::vector<CallToken>& tokens,
                                        const std::vector<TokenSpan>& spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_LINE_SEARCH_STEPS_H_
