// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_TRAINING_STEPS_H_
#define DLTAP_ANALYZER_METRICS_TRAINING_STEPS_H_

#include <vector>

#include "analyzer/metrics/call_signature.h"
#include "analyzer/metrics/step.h"

namespace dltap::analyzer {

// How many threads of a process train at once: each computes forward and
// updates by turns, three times at least, while another does. 0: one alone, or
// none.
size_t ThreadsThatTrain(const Process& process,
                        const std::vector<CallToken>& tokens);

// The iterations of a program that trains, in order; empty when it doesn't
// (fewer than kMinRepeats). An iteration ends where forward work follows an
// update (without any update: a backward pass). Passes forward in front of
// some iterations only are spans of their own, of use kEvaluation; what comes
// before the first iteration is in no span.
std::vector<TokenSpan> TrainingSteps(const std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_TRAINING_STEPS_H_
