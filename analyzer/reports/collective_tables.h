// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_COLLECTIVE_TABLES_H_
#define DLTAP_ANALYZER_REPORTS_COLLECTIVE_TABLES_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/report_options.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// One row per collective, communicator and size; sums over the used steps of
// all ranks.
Table CollectiveTable(const Figures& figures, const ReportOptions& options);

// Below that table: which ranks come last, and what is not known.
std::string CollectiveNotes(const Figures& figures);

// The field "collectives".
void WriteCollectives(const CollectiveFigures& figures, JsonWriter& json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_COLLECTIVE_TABLES_H_
