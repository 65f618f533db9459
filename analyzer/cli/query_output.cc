// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/query_output.h"

#include <cmath>
#include <utility>

#include "analyzer/exporters/csv_rows.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {
namespace {

// As many decimals as leave four digits or so.
int DecimalsOf(double value) {
  const double size = std::abs(value);
  if (size >= 1000 || value == std::trunc(value)) return 0;
  if (size >= 10) return 2;
  return size >= 0.01 ? 4 : 6;
}

class TextOutput : public QueryOutput {
 public:
  TextOutput(const ResultColumns& columns, ByteSink sink)
      : sink_(std::move(sink)) {
    for (const TypedColumn& column : columns) {
      const std::string name(column.name);
      const bool is_number = column.type == ColumnType::kInteger ||
                             column.type == ColumnType::kReal;
      table_.columns.push_back({{name}, name, is_number});
    }
  }

  void Text(std::string_view text) override {
    row_.emplace_back(std::string(text));
  }
  void Integer(int64_t number) override { row_.emplace_back(number); }
  void Real(double number) override {
    row_.emplace_back(Number{number, DecimalsOf(number)});
  }
  void Flag(bool flag) override {
    row_.emplace_back(std::string(flag ? "yes" : "no"));
  }
  void Null() override { row_.emplace_back(Unknown{}); }
  void EndRow() override { table_.rows.push_back(std::exchange(row_, {})); }
  void Finish() override {
    sink_(table_.rows.empty() ? "no rows\n" : RenderText(table_) + "\n");
  }

 private:
  const ByteSink sink_;
  Table table_;
  std::vector<Cell> row_;
};

class CsvOutput : public QueryOutput {
 public:
  CsvOutput(const ResultColumns& columns, ByteSink sink)
      : rows_(columns, std::move(sink)) {}

  void Text(std::string_view text) override { rows_.Text(text); }
  void Integer(int64_t number) override { rows_.Integer(number); }
  void Real(double number) override { rows_.Real(number); }
  void Flag(bool flag) override { rows_.Flag(flag); }
  void Null() override { rows_.Null(); }
  void EndRow() override { rows_.EndRow(); }
  void Finish() override {}

 private:
  CsvRows rows_;
};

// An array of an object a row.
class JsonOutput : public QueryOutput {
 public:
  JsonOutput(const ResultColumns& columns, ByteSink sink)
      : sink_(std::move(sink)) {
    for (const TypedColumn& column : columns) names_.emplace_back(column.name);
    json_.BeginArray();
  }

  void Text(std::string_view text) override { Next().Value(text); }
  void Integer(int64_t number) override { Next().Value(number); }
  void Real(double number) override { Next().Value(number); }
  void Flag(bool flag) override { Next().Value(flag); }
  void Null() override { Next().Null(); }
  void EndRow() override {
    json_.EndObject();
    at_ = 0;
    sink_(json_.Take());
  }
  void Finish() override {
    json_.EndArray();
    sink_(json_.Take() + "\n");
  }

 private:
  JsonWriter& Next() {
    if (at_ == 0) json_.BeginObject();
    json_.Key(names_[at_++]);
    return json_;
  }

  const ByteSink sink_;
  std::vector<std::string> names_;
  JsonWriter json_;
  size_t at_ = 0;
};

}  // namespace

const std::vector<std::string>& QueryFormats() {
  static const std::vector<std::string> formats = {"table", "csv", "json"};
  return formats;
}

std::unique_ptr<QueryOutput> MakeQueryOutput(std::string_view format,
                                             const ResultColumns& columns,
                                             ByteSink sink) {
  if (format == "csv") {
    return std::make_unique<CsvOutput>(columns, std::move(sink));
  }
  if (format == "json") {
    return std::make_unique<JsonOutput>(columns, std::move(sink));
  }
  return std::make_unique<TextOutput>(columns, std::move(sink));
}

}  // namespace dltap::analyzer
