// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_

#include <string>

#include "absl/status/status.h"
#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// Writes a table as Parquet, by DuckDB: kUnavailable where that is missing. Its
// key-value metadata has `dltap.schema_version` and `dltap.table`.
absl::Status WriteParquet(const Table& table, const ExportInput& input,
                          const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
