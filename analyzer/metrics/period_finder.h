// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PERIOD_FINDER_H_
#define DLTAP_ANALYZER_METRICS_PERIOD_FINDER_H_

#include <cstddef>
#include <vector>

#include "analyzer/metrics/call_signature.h"

namespace dltap::analyzer {

// Positions in `tokens` at which a step begins; empty when the sequence does
// not repeat at least kMinRepeats times.
//
// A signature that recurs at an even distance with alike segments between, and
// is the most frequent to do so, occurs once a step. A step begins after its
// predecessor's last update; in a loop without update, at the largest mean
// pause of the host.
std::vector<size_t> FindStepStarts(const std::vector<CallToken>& tokens);

inline constexpr size_t kMinRepeats = 3;

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PERIOD_FINDER_H_
