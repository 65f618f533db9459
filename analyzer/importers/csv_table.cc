// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/csv_table.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "analyzer/importers/byte_order_mark.h"

namespace dltap::analyzer {
namespace {

// Splits text into records, one at a time.
class RecordReader {
 public:
  RecordReader(std::string_view text, char separator)
      : text_(WithoutByteOrderMark(text)), separator_(separator) {}

  bool AtEnd() const { return position_ >= text_.size(); }
  int64_t line() const { return line_; }

  // False: a quote is never closed.
  bool Next(std::vector<std::string>& fields) {
    fields.assign(1, "");
    bool quoted = false;
    while (!AtEnd()) {
      const char c = text_[position_++];
      if (c == '\n') ++line_;
      if (quoted) {
        quoted = TakeQuoted(c, fields.back());
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c == separator_) {
        fields.emplace_back();
      } else if (c == '\n') {
        return true;
      } else if (c != '\r') {
        fields.back().push_back(c);
      }
    }
    return !quoted;
  }

 private:
  // Returns whether the field is still inside its quotes.
  bool TakeQuoted(char c, std::string& field) {
    if (c != '"') {
      field.push_back(c);
      return true;
    }
    if (AtEnd() || text_[position_] != '"') return false;
    field.push_back('"');  // "" stands for one quote
    ++position_;
    return true;
  }

  std::string_view text_;
  char separator_;
  size_t position_ = 0;
  int64_t line_ = 1;
};

bool IsBlank(const std::vector<std::string>& fields) {
  return fields.size() == 1 && fields[0].empty();
}

}  // namespace

absl::StatusOr<CsvTable> CsvTable::Parse(std::string_view text,
                                         std::string_view path,
                                         char separator) {
  CsvTable table;
  RecordReader reader(text, separator);
  std::vector<std::string> fields;
  while (!reader.AtEnd()) {
    const int64_t line = reader.line();
    if (!reader.Next(fields)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s:%d: quote is never closed; add the missing '\"'", path, line));
    }
    if (IsBlank(fields)) continue;
    if (table.header_.empty()) {
      table.header_ = std::move(fields);
    } else if (fields.size() != table.header_.size()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s:%d: %d fields where the header has %d; quote fields that hold a "
          "%s",
          path, line, fields.size(), table.header_.size(),
          separator == ',' ? "comma" : "semicolon"));
    } else {
      table.rows_.push_back({.line = line, .fields = std::move(fields)});
    }
  }
  if (table.header_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s:1: file is empty; expected a header line", path));
  }
  return table;
}

int CsvTable::ColumnIndex(std::string_view name) const {
  for (size_t i = 0; i < header_.size(); ++i) {
    if (header_[i] == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace dltap::analyzer
