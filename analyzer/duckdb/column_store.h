// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_
#define DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/output/row_sink.h"

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
    std::vector<std::string> dictionary = {};
    std::vector<uint64_t> known = {};  // a bit a row
    bool has_null = false;
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
  // Drops the rows; the dictionaries too.
  void Clear();

 private:
  // Looks a std::string_view up without a copy.
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Places =
      absl::flat_hash_map<std::string, uint32_t, TextHash, std::equal_to<>>;

  Values& Next(bool known);

  std::vector<Places> places_;  // of each column: of texts in its dictionary
  std::vector<Values> columns_;
  size_t rows_ = 0;
  size_t at_ = 0;  // the column that comes next
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_DUCKDB_COLUMN_STORE_H_
