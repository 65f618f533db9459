// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_DATASET_H_
#define DLTAP_ANALYZER_QUERY_DATASET_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/duckdb/duckdb.h"

namespace dltap::analyzer {

struct DatasetLimits {
  std::string memory;  // as DuckDB spells it: "4GB"; empty: its own
  int threads = 0;     // 0: its own
};

// Whether the folder is one, by the folders in it: a trace has no run=NAME.
bool IsDataset(const std::string& folder);

// A data set (docs/dataset.md) in DuckDB: a view of each table's name.
class Dataset {
 public:
  // Errors: no such folder, none of a data set's files, no DuckDB.
  static absl::StatusOr<Dataset> Open(const std::string& folder,
                                      const DatasetLimits& limits);

  // `begin` gets the columns and gives who takes the rows.
  absl::Status Query(
      const std::string& sql,
      const std::function<RowSink&(const ResultColumns&)>& begin);
  absl::Status Run(const std::string& sql) { return database_.Run(sql); }
  // The rows as a Parquet file.
  absl::Status WriteParquet(const std::string& sql, const std::string& path);

  // What a reader of the answers has to know: "rank 3 of run default ..."
  const std::vector<std::string>& warnings() const { return warnings_; }
  // What the last query wrote to disk since it did not fit into memory.
  int64_t SpilledBytes() { return database_.SpilledBytes(); }

 private:
  explicit Dataset(Duckdb database) : database_(std::move(database)) {}

  absl::Status MakeViews(const std::string& folder);
  Duckdb database_;
  std::vector<std::string> warnings_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_DATASET_H_
