// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_DATASET_VIEWS_H_
#define DLTAP_ANALYZER_QUERY_DATASET_VIEWS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/duckdb/duckdb.h"
#include "analyzer/output/column_rows.h"
#include "analyzer/query/dataset_contents.h"

namespace dltap::analyzer {

// What a view of a data set's table reads: all whole ranks, each once, from
// the file of many ranks where that has it as it is, else from its own parts.
class DatasetViews {
 public:
  // Looks which files of many ranks there are. Errors: one is broken, or a
  // rank was written by a newer dltap (kUnimplemented).
  static absl::StatusOr<DatasetViews> Make(const std::string& dataset,
                                           Duckdb& database);

  std::string Select(std::string_view table,
                     std::span<const TypedColumn> columns) const;
  const std::vector<RunContents>& runs() const { return runs_; }

 private:
  struct Gathered {
    std::string table;
    size_t run;  // number in runs_
    StampedRanks ranks;
  };

  absl::Status FindGathered(Duckdb& database);
  absl::Status CheckVersions(Duckdb& database) const;
  const Gathered* GatheredOf(std::string_view table, size_t run) const;
  std::vector<std::string> OwnParts(std::string_view table) const;
  std::string SelectGathered(std::string_view table) const;

  std::string dataset_;
  std::vector<RunContents> runs_;
  std::vector<Gathered> gathered_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_DATASET_VIEWS_H_
