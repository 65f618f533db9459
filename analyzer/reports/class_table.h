// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_
#define DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/model/layer_class.h"
#include "analyzer/reports/report_options.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// The name of a class as people say it: CONV, LSTM/RNN, COPY H2D.
std::string DisplayName(LayerClass layer_class);

// For reading: one row per layer class, largest first, small ones folded into
// one, and their total. Times are per used step when steps were found, else
// over the run.
Table ClassTable(const Figures& figures, const ReportOptions& options);

// For programs: the same numbers, one row per class and nothing else; forward,
// backward and update in columns of their own.
Table TidyClassTable(const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_CLASS_TABLE_H_
