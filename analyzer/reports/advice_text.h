// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_ADVICE_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_ADVICE_TEXT_H_

#include <string>

#include "analyzer/advice/advice.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {

// "about -38 % step", "-23 % to -56 % step"; of the rest: "more" for "step".
std::string GainText(const Advice& advice);

// A line or more for each advice that is given; empty: none is.
std::string TryLines(const AdviceList& list);

// What each rests on, what was held back and why, and what cannot be told where
// host times are fixed costs.
std::string AdviceEvidence(const AdviceList& list, bool has_fixed_costs);

// The fields "advice" and "advice_held_back".
void WriteAdvice(const AdviceList& list, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_ADVICE_TEXT_H_
