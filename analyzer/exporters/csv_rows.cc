// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/csv_rows.h"

#include <charconv>
#include <string>

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

class CsvSink : public RowSink {
 public:
  explicit CsvSink(const ByteSink& sink) : sink_(sink) {}

  void Text(std::string_view text) override {
    Separate();
    row_ += '"';
    for (const char c : ValidUtf8(text)) {
      if (c == '"') row_ += '"';
      // Readers written in C take it for the end.
      c == '\0' ? row_ += "\uFFFD" : row_ += c;
    }
    row_ += '"';
  }
  void Integer(int64_t number) override { Number(number); }
  void Real(double number) override { Number(number); }
  void Flag(bool flag) override {
    Separate();
    row_ += flag ? "true" : "false";
  }
  void Null() override { Separate(); }
  void EndRow() override {
    row_ += "\r\n";
    sink_(row_);
    row_.clear();
    is_first_ = true;
  }

 private:
  void Separate() {
    if (!is_first_) row_ += ',';
    is_first_ = false;
  }

  template <typename T>
  void Number(T number) {
    Separate();
    char text[32];
    row_.append(text, std::to_chars(text, text + sizeof text, number).ptr);
  }

  const ByteSink& sink_;
  std::string row_;
  bool is_first_ = true;
};

}  // namespace

void WriteCsv(const Table& table, const ExportInput& input,
              const ByteSink& sink) {
  std::string names;
  for (const Column& column : table.columns) {
    names += names.empty() ? "" : ",";
    names += column.name;
  }
  sink(names + "\r\n");
  CsvSink rows(sink);
  table.rows(input, rows);
}

}  // namespace dltap::analyzer
