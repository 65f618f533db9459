// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_MANY_ROWS_H_
#define DLTAP_ANALYZER_QUERY_MANY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/duckdb/column_store.h"

namespace dltap::analyzer {

// The rows of an answer, as many as there are kernels; columns by their place.
// (Of few rows: answer.h.)
class ManyRows {
 public:
  explicit ManyRows(ColumnStore rows) : rows_(std::move(rows)) {}

  size_t rows() const { return rows_.rows(); }
  int64_t Integer(size_t column, size_t row) const {
    return rows_.columns()[column].integers[row];
  }
  std::optional<int64_t> MaybeInteger(size_t column, size_t row) const {
    const ColumnStore::Values& values = rows_.columns()[column];
    const bool is_known = values.known[row / 64] >> (row % 64) & 1;
    return is_known ? std::optional(values.integers[row]) : std::nullopt;
  }
  double Real(size_t column, size_t row) const {
    return rows_.columns()[column].reals[row];
  }
  bool Flag(size_t column, size_t row) const {
    return rows_.columns()[column].flags[row] != 0;
  }
  const std::string& Text(size_t column, size_t row) const {
    const ColumnStore::Values& values = rows_.columns()[column];
    return values.dictionary.texts()[values.texts[row]];
  }

 private:
  ColumnStore rows_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_MANY_ROWS_H_
