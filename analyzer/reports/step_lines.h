// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_STEP_LINES_H_
#define DLTAP_ANALYZER_REPORTS_STEP_LINES_H_

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// What the numbers are about, in one line: the steps or the part of the run,
// what is left out, and how much of the GPU time that covers. Without a
// device: why there are none.
std::string StepsText(const Summary& summary, const Figures& figures);

// A word of the JSON report as people say it: "warm-up", "feature maps".
std::string Spoken(std::string_view reason);
std::vector<std::string> SpokenReasons(const std::vector<std::string>& names);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_STEP_LINES_H_
