// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_REQUEST_KINDS_H_
#define DLTAP_ANALYZER_METRICS_REQUEST_KINDS_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/call_signature.h"
#include "analyzer/metrics/loop_starts.h"

namespace dltap::analyzer {

// What `count` calls of one kind in a pass count where passes are compared.
double WeightOfCalls(uint32_t count);

// Where requests of several kinds begin that come in any order: inputs that are
// copied when the result of the request before has been read. Empty if nearly
// all are of one kind, which calls of its own tell, or fewer than nearly all
// are like another one.
Positions RequestsOfKinds(const std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_REQUEST_KINDS_H_
