// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_GAP_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_GAP_ROWS_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// The table `gaps`: a row for each span in which a device is idle, inside the
// windows that reports judge.
ExportTable GapsTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_GAP_ROWS_H_
