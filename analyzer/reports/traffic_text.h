// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_TRAFFIC_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_TRAFFIC_TEXT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"

namespace dltap::analyzer {

// How much of communication and copies nothing hides; empty when there is
// little of either.
std::string ExposureLine(const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_TRAFFIC_TEXT_H_
