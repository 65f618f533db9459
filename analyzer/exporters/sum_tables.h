// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_SUM_TABLES_H_
#define DLTAP_ANALYZER_EXPORTERS_SUM_TABLES_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// What a data set holds of each rank beside its events: sums that can be added
// up further. docs/dataset.md.
ExportTable StepSumsTable();
ExportTable ClassSumsTable();
ExportTable DurationSumsTable();
ExportTable DevicesTable();
ExportTable LooksTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_SUM_TABLES_H_
