// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANK_MAP_TEXT_H_
#define DLTAP_ANALYZER_RANKS_RANK_MAP_TEXT_H_

#include <cstddef>
#include <string>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

// What a page has room for.
inline constexpr size_t kTextMapRows = 32;
size_t TextMapColumns();

// Three maps of ranks by steps beside each other: wait, transfer, compute. The
// denser a character, the more of it. Empty: there are no steps.
std::string RankMapText(const RanksReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANK_MAP_TEXT_H_
