// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_
#define DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_

#include <string>

#include "analyzer/metrics/summary.h"
#include "analyzer/model/trace_model.h"
#include "analyzer/reports/class_table.h"

namespace dltap::analyzer {

enum class ReportBy : uint8_t { kClass, kApi, kKernel, kOp, kStep };

// The report for people: header, the step and its idle time, one table, what
// limits the step, and how far the numbers can be trusted.
std::string TextReport(const TraceModel& model, const Summary& summary,
                       ReportBy by, const ReportOptions& options);

// The one table of such a report.
Table ReportTable(const TraceModel& model, const Summary& summary, ReportBy by,
                  const ReportOptions& options);

// One sentence that names what limits the step; empty when nothing can be
// said.
std::string LimitSentence(const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_TEXT_REPORT_H_
