// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/gathered_tables.h"

#include "absl/strings/str_cat.h"
#include "analyzer/duckdb/column_store.h"
#include "analyzer/duckdb/sql_text.h"
#include "analyzer/exporters/dataset_tables.h"

namespace dltap::analyzer {

absl::StatusOr<std::string> GatheredStamps(Duckdb& database,
                                           const std::string& path) {
  ColumnStore rows({});
  const absl::Status status = database.Query(
      absl::StrCat("SELECT decode(value) FROM parquet_kv_metadata(",
                   SqlText(EscapedPath(path)),
                   ") WHERE decode(key) IN ('dltap.ranks', "
                   "'dltap.schema_version') ORDER BY decode(key) DESC"),
      [&rows](const ResultColumns& columns) -> RowSink& {
        rows = ColumnStore(columns);
        return rows;
      });
  if (!status.ok()) return status;
  const auto text = [&](size_t row) {
    const ColumnStore::Values& values = rows.columns()[0];
    return std::string(values.dictionary.texts()[values.texts[row]]);
  };
  if (rows.rows() != 2 || text(0) != absl::StrCat(kDatasetVersion)) return "";
  return text(1);
}

}  // namespace dltap::analyzer
