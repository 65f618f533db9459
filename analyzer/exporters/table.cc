// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/table.h"

#include "analyzer/duckdb/column_store.h"

namespace dltap::analyzer {
namespace {

// Rows that were written one by one.
class OwnedRows : public ColumnRows {
 public:
  explicit OwnedRows(const ExportTable& table, const ExportInput& input)
      : store_(table.columns), rows_(store_) {
    table.write_rows(input, store_);
  }

  std::span<const TypedColumn> columns() const override {
    return rows_.columns();
  }
  size_t rows() const override { return rows_.rows(); }
  std::span<const std::string> Texts(size_t column) const override {
    return rows_.Texts(column);
  }
  void Fill(size_t first, size_t count,
            std::span<ColumnPlace> places) override {
    rows_.Fill(first, count, places);
  }

 private:
  ColumnStore store_;
  StoredRows rows_;
};

}  // namespace

std::unique_ptr<ColumnRows> RowsOf(const ExportTable& table,
                                   const ExportInput& input) {
  if (table.make_rows != nullptr) return table.make_rows(input);
  return std::make_unique<OwnedRows>(table, input);
}

void WriteRows(const ExportTable& table, const ExportInput& input,
               RowSink& sink) {
  if (table.write_rows != nullptr) return table.write_rows(input, sink);
  WriteRows(*table.make_rows(input), sink);
}

}  // namespace dltap::analyzer
