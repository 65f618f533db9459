// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/exporters/table.h"

namespace dltap::analyzer {

// Writes a table as Parquet, by DuckDB: kUnavailable where that is missing. Its
// key-value metadata has `dltap.schema_version` and `dltap.table`.
absl::Status WriteParquet(const ExportTable& table, const ExportInput& input,
                          const std::string& path);

// The same, of rows that are there; `database` is as before afterwards.
struct ParquetRows {
  std::string_view table;
  int schema_version;
  bool simulated;
  const ColumnStore& rows;
};
absl::Status WriteParquet(const ParquetRows& rows, const std::string& path,
                          Duckdb& database);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
