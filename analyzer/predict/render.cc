// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/render.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace dltap::analyzer {
namespace {

std::string_view NameOf(opmodel::Bound bound) {
  switch (bound) {
    case opmodel::Bound::kCompute: return "compute";
    case opmodel::Bound::kMemory: return "memory";
    case opmodel::Bound::kLatency: return "latency";
  }
  return "latency";
}

std::string JsonNumber(std::optional<double> value) {
  return value && std::isfinite(*value) ? absl::StrFormat("%.9g", *value)
                                        : "null";
}

std::optional<double> Percent(std::optional<double> ratio) {
  if (!ratio) return std::nullopt;
  return *ratio * 100;
}

std::string TextNumber(std::optional<double> value, const char* unknown) {
  return value ? absl::StrFormat("%.1f", *value) : unknown;
}

// Operation names come from a fixed list, so nothing needs escaping.
std::string RowJson(const PredictedRow& row) {
  return absl::StrFormat(
      R"({"line":%d,"op":"%s","modelled_ms":%s,"device_ms":%s,"bound":"%s",)"
      R"("measured_ms":%s,"error_percent":%s})",
      row.line, row.op, JsonNumber(row.modelled_ms), JsonNumber(row.device_ms),
      NameOf(row.bound), JsonNumber(row.measured_ms),
      JsonNumber(Percent(row.error_ratio)));
}

std::string OpJson(const OpAccuracy& op) {
  return absl::StrFormat(
      R"({"op":"%s","rows":%d,"measured_rows":%d,)"
      R"("mean_error_percent":%s,"median_error_percent":%s})",
      op.op, op.rows, op.measured_rows,
      JsonNumber(Percent(op.mean_error_ratio)),
      JsonNumber(Percent(op.median_error_ratio)));
}

}  // namespace

std::string RenderPredictionJson(const Prediction& prediction) {
  std::string json = absl::StrFormat(
      R"({"schema":"dltap.predict","version":1,"gpu":"%s","rows":[)",
      prediction.gpu->name);
  const char* separator = "\n";
  for (const PredictedRow& row : prediction.rows) {
    absl::StrAppend(&json, separator, RowJson(row));
    separator = ",\n";
  }
  absl::StrAppend(&json, "],\"ops\":[");
  separator = "\n";
  for (const OpAccuracy& op : prediction.ops) {
    absl::StrAppend(&json, separator, OpJson(op));
    separator = ",\n";
  }
  absl::StrAppend(&json, "]}\n");
  return json;
}

std::string RenderPredictionText(const Prediction& prediction) {
  std::string text = absl::StrFormat(
      "%s (%s), %d rows\n\n%8s  %-22s %14s  %-8s %14s %9s\n",
      prediction.gpu->name, prediction.gpu->product, prediction.rows.size(),
      "line", "op", "modelled ms", "bound", "measured ms", "error %");
  bool measured = false;
  for (const PredictedRow& row : prediction.rows) {
    measured |= row.measured_ms.has_value();
    absl::StrAppendFormat(
        &text, "%8d  %-22s %14.6g  %-8s %14s %9s\n", row.line, row.op,
        row.modelled_ms, NameOf(row.bound),
        row.measured_ms ? absl::StrFormat("%.6g", *row.measured_ms) : "",
        TextNumber(Percent(row.error_ratio), ""));
  }
  if (!measured) return text;
  absl::StrAppendFormat(&text, "\n%-22s %9s %9s %14s %14s\n", "op", "rows",
                        "measured", "median err %", "mean err %");
  for (const OpAccuracy& op : prediction.ops) {
    absl::StrAppendFormat(&text, "%-22s %9d %9d %14s %14s\n", op.op, op.rows,
                          op.measured_rows,
                          TextNumber(Percent(op.median_error_ratio), "?"),
                          TextNumber(Percent(op.mean_error_ratio), "?"));
  }
  return text;
}

}  // namespace dltap::analyzer
