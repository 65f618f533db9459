// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/ops_csv.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "analyzer/importers/csv_table.h"
#include "analyzer/predict/op_rows.h"

namespace dltap::analyzer {
namespace {

// Published sheets write N/A, or N/A* with a footnote, where the library could
// not run the shape.
bool IsNotMeasured(std::string_view text) {
  return text.empty() || text == "-" || text == "nan" || text == "NaN" ||
         text.starts_with("N/A") || text.starts_with("n/a");
}

absl::StatusOr<std::optional<double>> MeasuredMs(const RowFields& row) {
  const std::string_view text = row.Text("measured_ms");
  if (IsNotMeasured(text)) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value) ||
      value <= 0) {
    return row.Error("measured_ms", text, "a time above 0, or nothing");
  }
  return value;
}

absl::StatusOr<OpsRow> ParseRow(const RowFields& row) {
  absl::StatusOr<opmodel::Operation> operation = OperationOf(row);
  if (!operation.ok()) return operation.status();
  absl::StatusOr<std::optional<double>> measured_ms = MeasuredMs(row);
  if (!measured_ms.ok()) return measured_ms.status();
  return OpsRow{.line = row.line(),
                .op = std::string(row.Text("op")),
                .operation = *operation,
                .host_ns = HostNsOf(row),
                .measured_ms = *measured_ms};
}

}  // namespace

absl::StatusOr<std::vector<OpsRow>> ParseOpsCsv(std::string_view text,
                                                std::string_view path) {
  const absl::StatusOr<CsvTable> table = CsvTable::Parse(text, path);
  if (!table.ok()) return table.status();
  if (table->ColumnIndex("op") < 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s:1: no column 'op'; see `dltap help predict` for the columns",
        path));
  }
  std::vector<OpsRow> rows;
  rows.reserve(table->rows().size());
  for (const CsvTable::Row& fields : table->rows()) {
    absl::StatusOr<OpsRow> row = ParseRow(RowFields(*table, fields, path));
    if (!row.ok()) return row.status();
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace dltap::analyzer
