// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_DETAIL_TABLES_H_
#define DLTAP_ANALYZER_REPORTS_DETAIL_TABLES_H_

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/reports/report_options.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// Totals over the used steps, at most `options.top` rows.
Table ApiTable(const Figures& figures, const ReportOptions& options);
Table KernelTable(const Figures& figures, const ReportOptions& options);
Table SiteTable(const Figures& figures, const ReportOptions& options);
Table OpTable(const Figures& figures, const ReportOptions& options);

// One row per used step of every device; `step` counts in its process. The
// first column names the device, if wanted.
Table StepTable(const Figures& figures, bool with_device);

// One row per device; shares of the observed time.
Table DeviceTable(const Figures& figures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_DETAIL_TABLES_H_
