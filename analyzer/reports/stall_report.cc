// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/stall_report.h"

#include <algorithm>

#include "analyzer/output/json_writer.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

std::vector<Cell> RowCells(const std::string& name, const StallRow& row) {
  std::vector<Cell> cells = {name, static_cast<int64_t>(row.launches),
                             KnownCell(row.gpu_ns, kMsPerNs, 3),
                             PercentCell(row.weight_share)};
  for (const auto& share : row.share) {
    cells.push_back(KnownCell(share, kPercent, 1));
  }
  return cells;
}

Table StallTable(const StallFigures& figures, StallsBy by,
                 const ReportOptions& options) {
  const bool by_class = by == StallsBy::kClass;
  const std::string first = by_class ? "class" : "kernel";
  Table table;
  table.columns = {{{first}, first, false},
                   {{"launches"}, "launches"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{std::string(Name(figures.weight)), "%"}, "weight_percent"},
                   {{"execution", "dep. %"}, "execution_dependency_percent"},
                   {{"memory", "dep. %"}, "memory_dependency_percent"},
                   {{"sync", "%"}, "synchronization_percent"},
                   {{"pipe", "busy %"}, "pipe_busy_percent"},
                   {{"fetch", "%"}, "instruction_fetch_percent"},
                   {{"other", "%"}, "other_percent"}};
  const auto& rows = by_class ? figures.classes : figures.kernels;
  const size_t n = by_class ? rows.size() : std::min(rows.size(), options.top);
  for (size_t i = 0; i < n; ++i) {
    table.rows.push_back(RowCells(
        by_class ? DisplayName(rows[i].layer_class) : rows[i].name, rows[i]));
  }
  if (by_class) table.rows.push_back(RowCells("total", figures.total));
  return table;
}

void WriteRow(const StallRow& row, JsonWriter& json) {
  json.Field("launches", row.launches);
  json.Field("gpu_ns", row.gpu_ns);
  json.Field("weight_share", row.weight_share);
  json.Key("stall_share");
  json.BeginObject();
  for (size_t i = 0; i < kStallGroups; ++i) {
    json.Field(Name(static_cast<StallGroup>(i)), row.share[i]);
  }
  json.EndObject();
}

void WriteRows(std::string_view key, const std::vector<StallRow>& rows,
               bool named, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const StallRow& row : rows) {
    json.BeginObject();
    if (named) json.Field("name", row.name);
    json.Field("class", Name(row.layer_class));
    WriteRow(row, json);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string StallText(const StallFigures& figures, StallsBy by,
                      const ReportOptions& options) {
  std::string text =
      WithThousands(static_cast<int64_t>(figures.launches)) +
      " launches, each measured alone by Nsight Compute; weighted by " +
      std::string(Name(figures.weight)) + "\nclasses by kernel name only";
  if (figures.unclassified > 0) {
    text += "; no rule knows " +
            WithThousands(static_cast<int64_t>(figures.unclassified)) +
            " launches";
  }
  if (figures.without_stalls > 0) {
    text += "; " + WithThousands(static_cast<int64_t>(figures.without_stalls)) +
            " launches have no stall reasons";
  }
  return text + "\n\n" + RenderText(StallTable(figures, by, options));
}

std::string StallCsv(const StallFigures& figures, StallsBy by,
                     const ReportOptions& options) {
  return RenderCsv(StallTable(figures, by, options));
}

std::string StallJson(const StallFigures& figures, const std::string& file) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.stalls");
  json.Field("version", 1);
  json.Field("file", file);
  json.Field("launches", figures.launches);
  json.Field("launches_without_stalls", figures.without_stalls);
  json.Field("launches_unclassified", figures.unclassified);
  json.Field("weight", Name(figures.weight));
  json.Key("total");
  json.BeginObject();
  WriteRow(figures.total, json);
  json.EndObject();
  WriteRows("classes", figures.classes, false, json);
  WriteRows("kernels", figures.kernels, true, json);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace dltap::analyzer
