// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_DUCKDB_H_
#define DLTAP_ANALYZER_DUCKDB_DUCKDB_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/duckdb/duckdb_functions.h"
#include "analyzer/duckdb/row_scan.h"
#include "analyzer/output/column_rows.h"
#include "analyzer/output/row_sink.h"

namespace dltap::analyzer {

// A name and type of a result. The name lives as long as the result.
using ResultColumns = std::vector<TypedColumn>;

// A database in memory, by libduckdb.so.
class Duckdb {
 public:
  // kUnavailable: there is no such library, or none that fits.
  static absl::StatusOr<Duckdb> Open();
  ~Duckdb();
  Duckdb(Duckdb&& other) noexcept;
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;
  Duckdb& operator=(Duckdb&&) = delete;

  // kInvalidArgument: what DuckDB says against it.
  absl::Status Run(const std::string& sql);

  // `begin` gets the columns and gives who takes the rows.
  absl::Status Query(
      const std::string& sql,
      const std::function<RowSink&(const ResultColumns&)>& begin);

  // Lets SpilledBytes know.
  absl::Status WatchSpills();
  // The most that the last query held in files since it did not fit into the
  // memory that DuckDB may use.
  int64_t SpilledBytes();

  // The same as Run; the statement finds rows [first, first + count) as
  // dltap_rows().
  absl::Status Run(const std::string& sql, ColumnRows& rows, size_t first,
                   size_t count);

 private:
  explicit Duckdb(const DuckdbFunctions* functions) : call_(functions) {}

  const DuckdbFunctions* call_;
  void* database_ = nullptr;
  void* connection_ = nullptr;
  std::unique_ptr<RowScan> scan_;  // from the first use on
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_DUCKDB_H_
