// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_DIFF_TABLES_H_
#define DLTAP_ANALYZER_REPORTS_DIFF_TABLES_H_

#include <string>
#include <vector>

#include "analyzer/reports/diff_report.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// A side in one line: command, GPU, steps.
std::string SideText(const Side& side);

// A row for each of `changes`.
Table ChangeTable(const std::string& first,
                  const std::vector<QuantityChange>& changes);
Table JudgementTable(const DiffReport& report);
// The whole-program ones that either run knows.
Table QuantityChangeTable(const Difference& difference);
Table PartTable(const Difference& difference, size_t top);
Table RowChangeTable(const Difference& difference, DifferenceBy by, size_t top);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_DIFF_TABLES_H_
