// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/exporters/table.h"
#include "analyzer/output/column_rows.h"

namespace dltap::analyzer {

// Writes a table as Parquet, by DuckDB: kUnavailable where that is missing. Its
// key-value metadata has `dltap.schema_version` and `dltap.table`.
absl::Status WriteParquet(const ExportTable& table, const ExportInput& input,
                          const std::string& path);

// The same, of `count` rows from `first` on, by a database that is there.
struct ParquetRows {
  std::string_view table;
  int schema_version;
  bool simulated;
  ColumnRows& rows;
  size_t first = 0;
  size_t count = rows.rows();
};
absl::Status WriteParquet(const ParquetRows& rows, const std::string& path,
                          Duckdb& database);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PARQUET_TABLE_H_
