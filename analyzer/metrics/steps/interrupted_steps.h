// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_INTERRUPTED_STEPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_INTERRUPTED_STEPS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_finder.h"

namespace dltap::analyzer {

// Some steps add up the gradients of batches between which the program
// evaluates: an epoch ends, or a number of batches is reached, in the middle of
// a step. Such steps get the use kInterrupted, for their passes cannot be taken
// out. Told by a pass forward that ends with the usual one, has more in front
// of it, and follows gradients of the same step; by few steps, for what all do,
// or all that train one of several models (a generator's pass in front of what
// judges it), is part of them; and by no more gradients than its batches have,
// for others are those of another model's update (a policy's, by hand).
void MarkInterruptedSteps(const std::vector<CallToken>& tokens,
                          std::vector<TokenSpan>& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_INTERRUPTED_STEPS_H_
