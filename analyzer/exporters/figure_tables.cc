// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/figure_tables.h"

#include <span>
#include <vector>

#include "analyzer/exporters/call_rows.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/exporters/gap_rows.h"
#include "analyzer/exporters/kernel_rows.h"
#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kClassColumns[] = {
    {"class", kText},          {"gpu_ns", kInteger},
    {"busy_ns", kInteger},     {"exclusive_ns", kInteger},
    {"exposed_ns", kInteger},  {"share", kReal},
    {"calls", kInteger},       {"kernels", kInteger},
    {"forward_ns", kInteger},  {"backward_ns", kInteger},
    {"update_ns", kInteger},   {"host_ns", kInteger},
    {"cpu_dependency", kReal}, {"utilization", kReal},
    {"tflops", kReal},         {"of_peak", kReal},
    {"bandwidth_gbs", kReal},  {"of_bandwidth", kReal},
    {"bound", kText}};

void WriteClass(const ClassRow& row, RowSink& sink) {
  const ClassSummary& sums = row.figures.sums;
  sink.Text(Name(row.layer_class));
  sink.Integer(sums.gpu_ns);
  sink.Integer(sums.busy_ns);
  sink.Integer(sums.exclusive_ns);
  sink.Integer(sums.exposed_ns);
  sink.MaybeReal(row.figures.share);
  sink.Integer(static_cast<int64_t>(sums.calls));
  sink.Integer(static_cast<int64_t>(sums.kernels));
  sink.Integer(sums.of(Direction::kForward));
  sink.Integer(sums.backward_ns());
  sink.Integer(sums.of(Direction::kUpdate));
  sink.Integer(HostNs(sums.idle_ns));
  sink.MaybeReal(row.figures.cpu_dependency);
  sink.MaybeReal(row.figures.utilization);
  sink.MaybeReal(row.figures.tflops);
  sink.MaybeReal(row.figures.of_peak);
  sink.MaybeReal(row.figures.bandwidth_gbs);
  sink.MaybeReal(row.figures.of_bandwidth);
  row.bound == LimitedBy::kUnknown ? sink.Null() : sink.Text(Name(row.bound));
  sink.EndRow();
}

void WriteClasses(const ExportInput& input, RowSink& sink) {
  const Summary summary =
      Summarise(input.model, input.attribution, input.selection);
  const Figures figures = FiguresOf(summary);
  for (const ClassRow& row : figures.classes) WriteClass(row, sink);
}

}  // namespace

ExportTable ClassesTable() { return {"classes", kClassColumns, WriteClasses}; }

std::span<const ExportTable> AllTables() {
  static const ExportTable tables[] = {
      KernelsTable(), CallsTable(), StepsTable(), ClassesTable(), GapsTable()};
  return tables;
}

}  // namespace dltap::analyzer
