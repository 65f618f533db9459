// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CALL_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_CALL_ROWS_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// The table `calls`: a row for each host call, in time.
ExportTable CallsTable();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CALL_ROWS_H_
