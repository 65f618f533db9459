// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_RANKS_RANKS_TABLES_H_
#define DLTAP_ANALYZER_RANKS_RANKS_TABLES_H_

#include <string>

#include "analyzer/ranks/ranks_report.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// The answers of questions as tables of the text report.
Table WorstTable(const RanksReport& report);
Table LongestStepsTable(const Answer& steps);

// With the first rows of many, and how many there are more.
struct CutTable {
  Table table;
  std::string note;
};
CutTable ClassesTable(const Answer& classes);
CutTable SizesTable(const Answer& sizes);
CutTable GroupsTable(const Answer& groups);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_RANKS_RANKS_TABLES_H_
