// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_HOST_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_HOST_TEXT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"

namespace dltap::analyzer {

// CPU utilization and queue depth; empty: neither is known.
std::string HostLine(const HostFigures& host);

// What recording cost. What CUPTI did is known only where it was off for a
// while.
std::string OwnCost(const TrustFigures& trust);

// A line for each class; empty: not a run with delays.
std::string SensitivityText(const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_HOST_TEXT_H_
