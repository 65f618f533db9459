// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_EVIDENCE_TABLES_H_
#define DLTAP_ANALYZER_REPORTS_EVIDENCE_TABLES_H_

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/report_options.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// What a sceptic asks for: where names and calls disagree, what lies under
// which roof, and which kernels are long and far from it. Sums over the used
// steps; at most `options.top` rows.
Table ConflictTable(const Figures& figures, const ReportOptions& options);
Table RooflineTable(const Figures& figures, const ReportOptions& options);
Table LongAndLowTable(const Figures& figures, const ReportOptions& options);

void WriteConflict(const ConflictRow& row, JsonWriter& json);
void WriteRoofline(const RooflineRow& row, JsonWriter& json);
void WriteLongAndLow(const LongAndLowRows& rows, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_EVIDENCE_TABLES_H_
