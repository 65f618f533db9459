// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/figure_tables.h"

#include <array>
#include <string>
#include <vector>

#include "analyzer/exporters/activity_names.h"
#include "analyzer/exporters/cause_columns.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/metrics/figures.h"
#include "analyzer/metrics/gaps.h"
#include "analyzer/metrics/host_view.h"
#include "analyzer/metrics/interval.h"
#include "analyzer/metrics/summary.h"

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

constexpr size_t kGapHead = 9;
constexpr size_t kGapTail = 2;
using GapColumns = std::array<TypedColumn, kGapHead + kIdleCauses + kGapTail>;

constexpr GapColumns MakeGapColumns() {
  GapColumns columns = {TypedColumn{"process", kText},
                        {"rank", kInteger},
                        {"device", kInteger},
                        {"begin_ns", kInteger},
                        {"end_ns", kInteger},
                        {"step", kInteger},
                        {"class", kText},
                        {"between_steps", kFlag},
                        {"ended_by", kText}};
  for (size_t i = 0; i < kIdleCauses; ++i) {
    columns[kGapHead + i] = {kCauseColumns[i], kInteger};
  }
  columns[kGapHead + kIdleCauses] = {"drained_by", kText};
  columns[kGapHead + kIdleCauses + 1] = {"drained_in", kText};
  return columns;
}
constexpr GapColumns kGapColumns = MakeGapColumns();

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

// The gaps of one device, as its process sees it.
class GapRows {
 public:
  GapRows(const ExportInput& input, size_t p, DeviceId device, RowSink& sink)
      : input_(input),
        process_(input.model.processes[p]),
        attribution_(input.attribution.processes[p]),
        steps_(input.steps[p]),
        device_(device),
        names_(input.model),
        sink_(sink) {}

  void Run() {
    FindWindows();
    if (windows_.empty()) return;
    const HostView host(input_.model, process_, attribution_, steps_, device_);
    FindGaps(process_, attribution_, steps_, host, device_, windows_,
             [this](const Gap& gap) { Write(gap); });
  }

 private:
  void FindWindows() {
    const Selection& selection = input_.selection;
    if (!selection.whole_run && !selection.window) {
      windows_ = StepWindows(process_, attribution_, steps_, device_);
      return;
    }
    steps_ = {};
    for (StepWindow window : WholeRun(process_, device_)) {
      if (selection.window) {
        window.span =
            Common(*selection.window, {process_.begin_ns, process_.end_ns});
      }
      if (window.span.length_ns() > 0) windows_.push_back(window);
    }
  }

  void Write(const Gap& gap) {
    WriteOwner(process_, sink_);
    sink_.Integer(process_.devices[device_.value()].ordinal);
    sink_.Integer(input_.At(gap.span.begin_ns));
    sink_.Integer(input_.At(gap.span.end_ns));
    steps_.steps.empty()
        ? sink_.Null()
        : sink_.Integer(static_cast<int64_t>(windows_[gap.window].step));
    const size_t charged = ChargedTo(attribution_, gap);
    const bool between = gap.between_steps || charged == kNoActivity;
    between ? sink_.Null()
            : sink_.Text(
                  analyzer::Name(attribution_.activities[charged].layer_class));
    sink_.Flag(between);
    gap.ended_by == kNoActivity
        ? sink_.Null()
        : sink_.Text(names_.Of(process_.activities[gap.ended_by]));
    for (const int64_t ns : gap.ns) sink_.Integer(ns);
    sink_.Text(analyzer::Name(gap.drained_by));
    if (gap.drained_in.known()) {
      const Call& call = process_.calls[gap.drained_in.value()];
      sink_.Text(input_.model.entry_points[call.entry.value()].symbol);
    } else {
      sink_.Null();
    }
    sink_.EndRow();
  }

  const ExportInput& input_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  Steps steps_;
  const DeviceId device_;
  ActivityNames names_;
  RowSink& sink_;
  std::vector<StepWindow> windows_;
};

void WriteGaps(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    if (!input.WantsProcess(p)) continue;
    const Process& process = input.model.processes[p];
    for (size_t d = 0; d < process.devices.size(); ++d) {
      if (!Selects(input.selection, process.devices[d])) continue;
      GapRows(input, p, DeviceId(d), sink).Run();
    }
  }
}

}  // namespace

ExportTable ClassesTable() { return {"classes", kClassColumns, WriteClasses}; }
ExportTable GapsTable() { return {"gaps", kGapColumns, WriteGaps}; }

std::span<const ExportTable> AllTables() {
  static const ExportTable tables[] = {
      KernelsTable(), CallsTable(), StepsTable(), ClassesTable(), GapsTable()};
  return tables;
}

}  // namespace dltap::analyzer
