// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANKS_JSON_H_
#define DLTAP_ANALYZER_RANKS_RANKS_JSON_H_

#include <string>

#include "analyzer/ranks/ranks_report.h"

namespace dltap::analyzer {

// ranks.schema.json. `answers` are as `dltap query --format json` prints them.
std::string RanksJson(const RanksReport& report);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANKS_JSON_H_
