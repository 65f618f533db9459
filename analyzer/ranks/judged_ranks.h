// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_JUDGED_RANKS_H_
#define DLTAP_ANALYZER_RANKS_JUDGED_RANKS_H_

#include <vector>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

// What `late`, `stragglers` and `cause` say of each rank; those that others
// wait for most first.
std::vector<JudgedRank> JudgedRanks(const RanksReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_JUDGED_RANKS_H_
