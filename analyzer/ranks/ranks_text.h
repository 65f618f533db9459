// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANKS_TEXT_H_
#define DLTAP_ANALYZER_RANKS_RANKS_TEXT_H_

#include <string>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

std::string RanksText(const RanksReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANKS_TEXT_H_
