// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_COLUMN_ROWS_H_
#define DLTAP_ANALYZER_OUTPUT_COLUMN_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/output/row_sink.h"

namespace dltap::analyzer {

// Where the values of one column go: an array by its type, with room for the
// rows that are asked for.
struct ColumnPlace {
  int64_t* integers = nullptr;
  double* reals = nullptr;
  uint8_t* flags = nullptr;
  uint32_t* texts = nullptr;  // into ColumnRows::Texts
  uint64_t* known = nullptr;  // a bit a row, all set before
  bool has_null = false;

  void Integer(size_t row, int64_t number) { integers[row] = number; }
  void Real(size_t row, double number) { reals[row] = number; }
  void Flag(size_t row, bool flag) { flags[row] = flag ? 1 : 0; }
  void Text(size_t row, uint32_t number) { texts[row] = number; }
  // A null has a value too, which nobody reads as one.
  void Null(size_t row) {
    known[row / 64] &= ~(uint64_t{1} << (row % 64));
    has_null = true;
    if (integers != nullptr) integers[row] = 0;
    if (reals != nullptr) reals[row] = 0;
    if (flags != nullptr) flags[row] = 0;
    if (texts != nullptr) texts[row] = 0;
  }
};

// Rows that are made column by column, some at a time, as often as asked: what
// has many rows needs no memory for them.
class ColumnRows {
 public:
  // A text that is none: Fill makes it a null.
  static constexpr uint32_t kNoText = UINT32_MAX;

  virtual ~ColumnRows() = default;
  virtual std::span<const TypedColumn> columns() const = 0;
  virtual size_t rows() const = 0;
  // All that a column of texts may say, without doubles, as UTF-8 without NUL.
  virtual std::span<const std::string> Texts(size_t column) const = 0;
  // Of rows [first, first + count), each column's to its place.
  virtual void Fill(size_t first, size_t count,
                    std::span<ColumnPlace> places) = 0;
};

// As many as ColumnRows should be asked for at a time.
inline constexpr size_t kRowsAtOnce = 2048;

// Hands the rows on, one by one.
void WriteRows(ColumnRows& rows, RowSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_COLUMN_ROWS_H_
