// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_TABLE_H_
#define DLTAP_ANALYZER_EXPORTERS_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

enum class ColumnType : uint8_t { kText, kInteger, kReal, kFlag };

struct Column {
  std::string_view name;
  ColumnType type;
};

// Takes the values of rows in the order of the columns.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void Text(std::string_view text) = 0;
  virtual void Integer(int64_t number) = 0;
  virtual void Real(double number) = 0;
  virtual void Flag(bool flag) = 0;
  virtual void Null() = 0;
  virtual void EndRow() = 0;

  void MaybeInteger(std::optional<int64_t> number) {
    number ? Integer(*number) : Null();
  }
  void MaybeReal(std::optional<double> number) {
    number ? Real(*number) : Null();
  }
  // Nothing where there is no text.
  void MaybeText(std::string_view text) { text.empty() ? Null() : Text(text); }
};

// One of the tables that README.md describes. Its columns may grow; they keep
// their names, types and meaning while kTableVersion stays.
struct Table {
  std::string_view name;
  std::span<const Column> columns;
  void (*rows)(const ExportInput& input, RowSink& sink);
};

inline constexpr int kTableVersion = 1;

std::span<const Table> AllTables();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_TABLE_H_
