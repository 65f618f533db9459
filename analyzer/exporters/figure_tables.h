// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_FIGURE_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_FIGURE_TABLES_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// What a report says: a row for each class, as `dltap report --json` has it.
ExportTable ClassesTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_FIGURE_TABLES_H_
