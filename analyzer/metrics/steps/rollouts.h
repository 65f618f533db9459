// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_ROLLOUTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_ROLLOUTS_H_

#include <cstddef>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Passes forward in front of some iterations may be what these learn from: what
// a policy played, what a model generated. Then they are no evaluation, and a
// step is such a rollout with all iterations that follow it. `spans` are
// iterations, and passes in front of them as spans of their own (kEvaluation);
// `from` is where the run begins, before the first of them. An evaluation and
// its iterations come back as they are.
Loop JoinRollouts(const std::vector<CallToken>& tokens, size_t from,
                  std::vector<TokenSpan> spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_ROLLOUTS_H_
