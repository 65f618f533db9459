// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_QUERY_REPLAY_RANKS_H_
#define DLTAP_ANALYZER_CLI_QUERY_REPLAY_RANKS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "analyzer/query/dataset.h"

namespace dltap::analyzer {

// Prints what the steps of a run in a data set would be without its
// stragglers, and whose they are; as text or JSON.
absl::Status PrintReplayOfRanks(
    const std::string& folder, const DatasetLimits& limits,
    const std::map<std::string, std::string>& settings, bool as_json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_QUERY_REPLAY_RANKS_H_
