// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANK_NAMES_H_
#define DLTAP_ANALYZER_RANKS_RANK_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dltap::analyzer {

// "rank 3"; "ranks 8 to 11, 40"; of many stretches: "ranks 1, 5, 9 and 12
// more". `ranks` may come in any order.
std::string RankNames(std::vector<int64_t> ranks);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANK_NAMES_H_
