// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_OP_ROWS_H_
#define DLTAP_ANALYZER_PREDICT_OP_ROWS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/importers/csv_table.h"
#include "opmodel/operation.h"

namespace dltap::analyzer {

// The fields of one row by column name. `table`, `row` and `path` must
// outlive it.
class RowFields {
 public:
  RowFields(const CsvTable& table, const CsvTable::Row& row,
            std::string_view path)
      : table_(table), row_(row), path_(path) {}

  int64_t line() const { return row_.line; }

  // Empty when the column is missing.
  std::string_view Text(std::string_view column) const;

  // A dimension of at least `least` that fits in 32 bits; `missing` when the
  // field is empty and `missing` is not below `least`.
  absl::StatusOr<int64_t> Integer(std::string_view column, int64_t least = 1,
                                  int64_t missing = -1) const;

  absl::Status Error(std::string_view column, std::string_view found,
                     std::string_view expected) const;

 private:
  const CsvTable& table_;
  const CsvTable::Row& row_;
  std::string_view path_;
};

// The operation that a row's `op`, `precision` and dimensions describe.
absl::StatusOr<opmodel::Operation> OperationOf(const RowFields& row);

// Host time of a row's `op` between a pair of events around it, in ns; 0 for an
// unknown one.
double HostNsOf(const RowFields& row);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_OP_ROWS_H_
