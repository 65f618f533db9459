// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_TRAINING_STEPS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_TRAINING_STEPS_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_finder.h"

namespace dltap::analyzer {

// The iterations of a program that trains, in order; empty when it doesn't
// (fewer than kMinRepeats). An iteration ends where forward work follows an
// update (without any update: a backward pass). Passes forward in front of
// some iterations only are spans of their own, of use kEvaluation, or rollouts
// (rollouts.h); what comes before the first iteration is in no span.
Loop TrainingSteps(const std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_TRAINING_STEPS_H_
