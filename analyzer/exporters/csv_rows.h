// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_

#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// Writes a table as CSV (RFC 4180) with a line of names. Nothing stands for
// what is not known, "" for an empty text.
void WriteCsv(const Table& table, const ExportInput& input,
              const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CSV_ROWS_H_
