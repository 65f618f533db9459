// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/parquet_table.h"

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/sql_text.h"

namespace dltap::analyzer {

absl::Status WriteParquet(const ExportTable& table, const ExportInput& input,
                          const std::string& path) {
  absl::StatusOr<Duckdb> database = Duckdb::Open();
  if (!database.ok()) return database.status();
  // What does not fit into memory goes beside the output.
  const absl::Status status = database->Run(
      absl::StrCat("SET temp_directory = ", SqlText(path + ".spill")));
  if (!status.ok()) return status;
  ColumnStore rows(table.columns);
  table.rows(input, rows);
  return WriteParquet({table.name, kTableVersion, input.model.simulated, rows},
                      path, *database);
}

absl::Status WriteParquet(const ParquetRows& rows, const std::string& path,
                          Duckdb& database) {
  const std::string table = SqlName(rows.table);
  absl::Status status = database.Fill(rows.table, rows.rows);
  if (!status.ok()) return status;
  status = database.Run(absl::StrCat(
      "COPY ", table, " TO ", SqlText(path),
      " (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, KV_METADATA "
      "{'dltap.schema_version': '",
      rows.schema_version, "', 'dltap.table': ", SqlText(rows.table),
      ", 'dltap.simulated': '", rows.simulated ? "true" : "false", "'})"));
  const absl::Status dropped = database.Run("DROP TABLE " + table);
  return status.ok() ? dropped : status;
}

}  // namespace dltap::analyzer
