// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_VERDICT_H_
#define DLTAP_ANALYZER_RANKS_VERDICT_H_

#include <string>
#include <vector>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

// Sentences: who never came, who makes the others wait and why; or that nobody
// stands out. Reads `answers` and `judged`.
std::vector<std::string> VerdictOf(const RanksReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_VERDICT_H_
