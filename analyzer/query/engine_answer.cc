// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/engine_answer.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "simdjson.h"

namespace dltap::analyzer {
namespace {

namespace dom = simdjson::dom;

ColumnType TypeOf(std::string_view name) {
  if (name == "integer") return ColumnType::kInteger;
  if (name == "real") return ColumnType::kReal;
  if (name == "flag") return ColumnType::kFlag;
  return ColumnType::kText;
}

// The names live as long as the document.
ResultColumns ColumnsOf(dom::array columns) {
  ResultColumns out;
  for (const dom::element column : columns) {
    out.push_back({std::string_view(column.at(0)),
                   TypeOf(std::string_view(column.at(1)))});
  }
  return out;
}

double RealOf(dom::element value) {
  if (!value.is_string()) return double(value);
  return std::strtod(std::string(std::string_view(value)).c_str(), nullptr);
}

void Give(dom::element value, ColumnType type, RowSink& rows) {
  if (value.is_null()) return rows.Null();
  switch (type) {
    case ColumnType::kText: return rows.Text(std::string_view(value));
    case ColumnType::kInteger: return rows.Integer(int64_t(value));
    case ColumnType::kReal: return rows.Real(RealOf(value));
    case ColumnType::kFlag: return rows.Flag(bool(value));
  }
}

void GiveRow(dom::array row, const ResultColumns& columns, RowSink& rows) {
  if (row.size() != columns.size()) {
    throw simdjson::simdjson_error(simdjson::INDEX_OUT_OF_BOUNDS);
  }
  size_t at = 0;
  for (const dom::element value : row) Give(value, columns[at++].type, rows);
  rows.EndRow();
}

}  // namespace

absl::Status ReadEngineAnswer(
    const std::string& json,
    const std::function<RowSink&(const ResultColumns&)>& begin) {
  try {
    dom::parser parser;
    const dom::object root = parser.parse(json);
    const ResultColumns columns = ColumnsOf(root["columns"]);
    RowSink& rows = begin(columns);
    for (const dom::element row : dom::array(root["rows"])) {
      GiveRow(row, columns, rows);
    }
  } catch (const simdjson::simdjson_error& error) {
    return absl::DataLossError(
        absl::StrCat("no answer of spark_query.py: ", error.what()));
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer
