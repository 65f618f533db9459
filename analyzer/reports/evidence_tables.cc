// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/evidence_tables.h"

#include <algorithm>
#include <string>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

Cell Ms(int64_t ns) { return Number{static_cast<double>(ns) * kMsPerNs, 3}; }

Cell Count(uint64_t count) { return static_cast<int64_t>(count); }

Cell Bound(LimitedBy bound) {
  if (bound == LimitedBy::kUnknown) return Unknown{};
  return std::string(Name(bound));
}

void WriteBound(LimitedBy bound, JsonWriter& json) {
  json.Key("bound");
  bound == LimitedBy::kUnknown ? json.Null() : json.Value(Name(bound));
}

}  // namespace

Table ConflictTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {{{"kernel"}, "kernel", false},
                   {{"by", "name"}, "class_by_name", false},
                   {{"by", "origin"}, "class", false},
                   {{"call or operator"}, "origin", false},
                   {{"count"}, "count"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{"share", "%"}, "share_percent"}};
  const auto& rows = figures.evidence_conflicts;
  for (size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    const Conflict& conflict = rows[i].conflict;
    table.rows.push_back({conflict.kernel, DisplayName(conflict.by_name),
                          DisplayName(conflict.by_origin), conflict.origin,
                          Count(rows[i].sums.count), Ms(rows[i].sums.gpu_ns),
                          PercentCell(rows[i].share)});
  }
  return table;
}

Table RooflineTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {{{"kernel"}, "kernel", false},
                   {{"class"}, "class", false},
                   {{"count"}, "count"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{"FLOP/B"}, "intensity_flop_per_byte"},
                   {{"roof", "TFLOP/s"}, "attainable_tflops_per_s"},
                   {{"", "TFLOP/s"}, "achieved_tflops_per_s"},
                   {{"roof", "%"}, "of_attainable_percent"},
                   {{"GB/s"}, "bandwidth_gb_per_s"},
                   {{"peak", "%"}, "of_bandwidth_percent"},
                   {{"bound"}, "bound", false}};
  size_t kernels = 0;
  for (const RooflineRow& row : figures.roofline) {
    if (!row.kernel.empty() && ++kernels > options.top) break;
    table.rows.push_back(
        {row.kernel.empty() ? std::string("(all)") : row.kernel,
         DisplayName(row.layer_class), Count(row.count), Ms(row.gpu_ns),
         KnownCell(row.intensity, 1, 1), KnownCell(row.attainable_tflops, 1, 2),
         KnownCell(row.achieved_tflops, 1, 2),
         KnownCell(row.of_attainable, kPercent, 1),
         KnownCell(row.bandwidth_gbs, 1, 0),
         KnownCell(row.of_bandwidth, kPercent, 1), Bound(row.bound)});
  }
  return table;
}

Table LongAndLowTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {
      {{"kernel"}, "kernel", false}, {{"class"}, "class", false},
      {{"count"}, "count"},          {{"GPU", "ms"}, "gpu_ms"},
      {{"mean", "us"}, "mean_us"},   {{"of peak", "%"}, "of_peak_percent"}};
  const auto& rows = figures.long_and_low.rows;
  for (size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    const LongAndLow& row = rows[i];
    table.rows.push_back({row.kernel, DisplayName(row.layer_class),
                          Count(row.sums.count), Ms(row.sums.gpu_ns),
                          Number{row.mean_ns * kUsPerNs, 2},
                          PercentCell(row.of_peak)});
  }
  return table;
}

void WriteConflict(const ConflictRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("kernel", row.conflict.kernel);
  json.Field("class_by_name", Name(row.conflict.by_name));
  json.Field("class", Name(row.conflict.by_origin));
  json.Field("class_from", Name(row.conflict.from));
  json.Field("origin", row.conflict.origin);
  json.Field("count", row.sums.count);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.Field("share", row.share);
  json.EndObject();
}

void WriteRoofline(const RooflineRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Key("kernel");
  row.kernel.empty() ? json.Null() : json.Value(row.kernel);
  json.Field("class", Name(row.layer_class));
  json.Field("count", row.count);
  json.Field("gpu_ns", row.gpu_ns);
  json.Field("intensity", row.intensity);
  json.Field("attainable_tflops", row.attainable_tflops);
  json.Field("achieved_tflops", row.achieved_tflops);
  json.Field("of_attainable", row.of_attainable);
  json.Field("bandwidth_gbs", row.bandwidth_gbs);
  json.Field("of_bandwidth", row.of_bandwidth);
  WriteBound(row.bound, json);
  json.EndObject();
}

void WriteLongAndLow(const LongAndLowRows& rows, JsonWriter& json) {
  json.BeginObject();
  json.Field("mean_ns", rows.mean_ns);
  json.Field("mean_of_peak", rows.mean_of_peak);
  json.Key("kernels");
  json.BeginArray();
  for (const LongAndLow& row : rows.rows) {
    json.BeginObject();
    json.Field("name", row.kernel);
    json.Field("class", Name(row.layer_class));
    json.Field("count", row.sums.count);
    json.Field("gpu_ns", row.sums.gpu_ns);
    json.Field("mean_ns", std::optional<double>(row.mean_ns));
    json.Field("of_peak", std::optional<double>(row.of_peak));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace dltap::analyzer
