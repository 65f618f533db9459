// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_STALL_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_STALL_REPORT_H_

#include <string>

#include "analyzer/metrics/figures/stalls.h"
#include "analyzer/reports/report_options.h"

// The faces of a counter report: why the warps of each class stall.
namespace dltap::analyzer {

enum class StallsBy : uint8_t { kClass, kKernel };

std::string StallText(const StallFigures& figures, StallsBy by,
                      const ReportOptions& options);
std::string StallCsv(const StallFigures& figures, StallsBy by,
                     const ReportOptions& options);
// {"schema":"dltap.stalls","version":1,...}; shares are ratios, unknown null.
std::string StallJson(const StallFigures& figures, const std::string& file);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_STALL_REPORT_H_
