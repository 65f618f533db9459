// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_GATHER_RANKS_H_
#define DLTAP_ANALYZER_QUERY_GATHER_RANKS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"

namespace dltap::analyzer {

// From so many ranks on that are in no such file they are gathered.
inline constexpr size_t kRanksToGather = 64;

// Writes the files of gathered_tables.h of a run anew if there are so many
// ranks, or `always`. Nobody else packs into the run meanwhile, and readers see
// the old file or the new one.
absl::Status GatherRanks(const std::string& dataset, const std::string& run,
                         bool always);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_GATHER_RANKS_H_
