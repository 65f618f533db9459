// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_ROW_SINK_H_
#define DLTAP_ANALYZER_OUTPUT_ROW_SINK_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dltap::analyzer {

enum class ColumnType : uint8_t { kText, kInteger, kReal, kFlag };

struct TypedColumn {
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

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_ROW_SINK_H_
