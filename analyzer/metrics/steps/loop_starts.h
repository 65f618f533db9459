// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_LOOP_STARTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_LOOP_STARTS_H_

#include <cstddef>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"

namespace dltap::analyzer {

using Positions = std::vector<size_t>;  // of tokens, ascending

// Where the passes begin that `marks`, two or more, lie in: with the copy of
// their input, or behind the copy of the last one's result; of these, where the
// host pauses longer. A pass that has neither begins behind a wait for the
// device, or else with the longest pause. `by_count`: the positions of every
// signature.
Positions StartsAtEdges(const std::vector<CallToken>& tokens,
                        const std::vector<Positions>& by_count,
                        const Positions& marks);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_LOOP_STARTS_H_
