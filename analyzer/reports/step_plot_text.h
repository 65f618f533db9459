// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_STEP_PLOT_TEXT_H_
#define DLTAP_ANALYZER_REPORTS_STEP_PLOT_TEXT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// The length of each step as a line of blocks, steps that are left out as x; a
// line for each process on a device. Empty without steps.
std::string StepPlotText(const Summary& summary, const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_STEP_PLOT_TEXT_H_
