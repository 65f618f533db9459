// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/csv_rows.h"

#include <charconv>
#include <string>
#include <utility>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {

CsvRows::CsvRows(std::span<const TypedColumn> columns, ByteSink sink)
    : sink_(std::move(sink)) {
  std::string names;
  for (const TypedColumn& column : columns) {
    names += names.empty() ? "" : ",";
    names += column.name;
  }
  sink_(names + "\r\n");
}

template <typename T>
void CsvRows::Number(T number) {
  Separate();
  char text[32];
  row_.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

void CsvRows::Text(std::string_view text) {
  Separate();
  row_ += '"';
  for (const char c : ValidUtf8(text)) {
    if (c == '"') row_ += '"';
    // Readers written in C take it for the end.
    c == '\0' ? row_ += "\uFFFD" : row_ += c;
  }
  row_ += '"';
}

void CsvRows::Flag(bool flag) {
  Separate();
  row_ += flag ? "true" : "false";
}

void CsvRows::EndRow() {
  row_ += "\r\n";
  sink_(row_);
  row_.clear();
  is_first_ = true;
}

void CsvRows::Separate() {
  if (!is_first_) row_ += ',';
  is_first_ = false;
}

void CsvRows::Integer(int64_t number) { Number(number); }
void CsvRows::Real(double number) { Number(number); }

void WriteCsv(const ExportTable& table, const ExportInput& input,
              const ByteSink& sink) {
  CsvRows rows(table.columns, sink);
  WriteRows(table, input, rows);
}

}  // namespace dltap::analyzer
