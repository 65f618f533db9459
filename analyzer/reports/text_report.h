// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/reports/report_options.h"

namespace dltap::analyzer {

// The report for people: header, the step and its idle time, one table, what
// limits the step, and how far the numbers can be trusted. `figures` are those
// of `summary`. Bytes of names that a terminal would obey are made visible.
std::string TextReport(const Summary& summary, const Figures& figures,
                       ReportBy by, const ReportOptions& options);

// The one table of such a report as CSV: every cell a name or one number,
// without units, thousands or a total; unknown is empty.
std::string CsvReport(const Figures& figures, ReportBy by,
                      const ReportOptions& options);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_
