// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/parquet_table.h"

#include <memory>

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
  const std::unique_ptr<ColumnRows> rows = RowsOf(table, input);
  return WriteParquet({table.name, kTableVersion, input.model.simulated, *rows},
                      path, *database);
}

// Texts have dictionaries as ENUMs. One for numbers is given up early: times
// and ids hardly repeat, and to look for one costs more than it saves. The
// causes of gaps do repeat. zstd's level 3 saves 1 to 3 % of level 1. Who reads
// a part of a table knows it by rank and time, not by Bloom filters.
absl::Status WriteParquet(const ParquetRows& rows, const std::string& path,
                          Duckdb& database) {
  return database.Run(
      absl::StrCat(
          "COPY (FROM dltap_rows()) TO ", SqlText(path),
          " (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, "
          "COMPRESSION_LEVEL 1, WRITE_BLOOM_FILTER false, "
          "DICTIONARY_SIZE_LIMIT ",
          rows.table == "gaps" ? 8000 : 64,
          ", KV_METADATA {'dltap.schema_version': '", rows.schema_version,
          "', 'dltap.table': ", SqlText(rows.table), ", 'dltap.simulated': '",
          rows.simulated ? "true" : "false", "'})"),
      rows.rows, rows.first, rows.count);
}

}  // namespace dltap::analyzer
