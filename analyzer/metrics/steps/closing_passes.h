// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_CLOSING_PASSES_H_
#define DLTAP_ANALYZER_METRICS_STEPS_CLOSING_PASSES_H_

#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// Each iteration may evaluate behind its update. Cut at updates, all but the
// first of `steps` begin with those passes, and `rest` behind the last one is
// nothing else: then each step gets the passes that follow it, up to what the
// host reads of them. False, and nothing moved, where that does not show.
bool EndWithPasses(const std::vector<CallToken>& tokens, const TokenSpan& rest,
                   std::vector<TokenSpan>& steps);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_CLOSING_PASSES_H_
