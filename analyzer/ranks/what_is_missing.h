// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_WHAT_IS_MISSING_H_
#define DLTAP_ANALYZER_RANKS_WHAT_IS_MISSING_H_

#include <string>
#include <vector>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

// What is missing, not whole or not comparable, and which numbers that
// touches; `first` are those of the data set itself. Reads `answers`.
std::vector<std::string> WhatIsMissing(const RanksReport& report,
                                       const std::vector<std::string>& first);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_WHAT_IS_MISSING_H_
