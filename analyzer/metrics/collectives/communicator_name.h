// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_COLLECTIVES_COMMUNICATOR_NAME_H_
#define DLTAP_ANALYZER_METRICS_COLLECTIVES_COMMUNICATOR_NAME_H_

#include <string>
#include <vector>

#include "analyzer/metrics/collectives/collective_match.h"

namespace dltap::analyzer {

// What reports call the communicators: "ranks 0-3", "gpus 0-1", "rank 2 of 8";
// "ranks 0-3 #2" where several have the same ranks.
std::vector<std::string> CommunicatorNames(const TraceModel& model,
                                           const CollectiveRuns& runs,
                                           const CollectiveMatches& matches);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_COLLECTIVES_COMMUNICATOR_NAME_H_
