// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_
#define DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/output/column_rows.h"
#include "analyzer/output/row_sink.h"
#include "analyzer/output/text_table.h"

namespace dltap::analyzer {

// Rows, kept column by column; texts as numbers into a dictionary of theirs.
class ColumnStore : public RowSink {
 public:
  // One of these holds the values, by `type`; what is null has a zero there.
  struct Values {
    TypedColumn column;
    std::vector<int64_t> integers = {};
    std::vector<double> reals = {};
    std::vector<uint8_t> flags = {};
    std::vector<uint32_t> texts = {};  // into `dictionary`
    TextTable dictionary = {};
    std::vector<uint64_t> known = {};  // a bit a row
  };

  explicit ColumnStore(std::span<const TypedColumn> columns);

  // UTF-8 without NUL, whatever comes: what is none becomes U+FFFD.
  void Text(std::string_view text) override;
  void Integer(int64_t number) override;
  void Real(double number) override;
  void Flag(bool flag) override;
  void Null() override;
  void EndRow() override;

  size_t rows() const { return rows_; }
  std::span<const Values> columns() const { return columns_; }

 private:
  Values& Next(bool known);

  std::vector<Values> columns_;
  size_t rows_ = 0;
  size_t at_ = 0;  // the column that comes next
};

// Rows of a store, which it refers to.
class StoredRows : public ColumnRows {
 public:
  explicit StoredRows(const ColumnStore& store);

  std::span<const TypedColumn> columns() const override { return columns_; }
  size_t rows() const override { return store_.rows(); }
  std::span<const std::string> Texts(size_t column) const override {
    return store_.columns()[column].dictionary.texts();
  }
  void Fill(size_t first, size_t count, std::span<ColumnPlace> places) override;

 private:
  const ColumnStore& store_;
  std::vector<TypedColumn> columns_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_
