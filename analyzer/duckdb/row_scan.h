// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_ROW_SCAN_H_
#define DLTAP_ANALYZER_DUCKDB_ROW_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/duckdb/duckdb_functions.h"
#include "analyzer/output/column_rows.h"

namespace dltap::analyzer {

// The table function dltap_rows() of a connection: DuckDB takes the rows from
// us as it goes, by one thread, and keeps none. A column of texts is an ENUM,
// so that DuckDB neither stores nor hashes a text a row.
class RowScan {
 public:
  explicit RowScan(const DuckdbFunctions& functions) : call_(functions) {}
  RowScan(const RowScan&) = delete;
  RowScan& operator=(const RowScan&) = delete;

  // Once, before a query names it. This has to outlive the connection.
  absl::Status Register(void* connection);

  // What it gives from now on: rows [first, first + count).
  void Give(ColumnRows& rows, size_t first, size_t count);

 private:
  static void Bind(void* info);
  static void Init(void* info);
  static void Next(void* info, void* chunk);

  void* TypeOf(size_t column) const;
  void FillChunk(size_t count, void* chunk);

  const DuckdbFunctions& call_;
  ColumnRows* rows_ = nullptr;
  size_t first_ = 0;
  size_t end_ = 0;
  size_t at_ = 0;                             // the next row
  std::vector<std::vector<uint32_t>> texts_;  // of columns of texts
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_ROW_SCAN_H_
