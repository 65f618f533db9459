// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/event_tables.h"

#include <algorithm>
#include <string>

#include "analyzer/exporters/api_records.h"
#include "analyzer/metrics/efficiency.h"
#include "analyzer/metrics/op_name.h"
#include "analyzer/metrics/step_choice.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr Column kKernelColumns[] = {{"process", kText},
                                     {"rank", kInteger},
                                     {"device", kInteger},
                                     {"stream", kInteger},
                                     {"begin_ns", kInteger},
                                     {"end_ns", kInteger},
                                     {"kind", kText},
                                     {"name", kText},
                                     {"class", kText},
                                     {"direction", kText},
                                     {"class_from", kText},
                                     {"joined_by", kText},
                                     {"autotune", kFlag},
                                     {"op", kText},
                                     {"step", kInteger},
                                     {"call", kInteger},
                                     {"correlation", kInteger},
                                     {"graph_node", kInteger},
                                     {"bytes", kInteger},
                                     {"grid_x", kInteger},
                                     {"grid_y", kInteger},
                                     {"grid_z", kInteger},
                                     {"block_x", kInteger},
                                     {"block_y", kInteger},
                                     {"block_z", kInteger},
                                     {"registers_per_thread", kInteger},
                                     {"static_shared_bytes", kInteger},
                                     {"dynamic_shared_bytes", kInteger},
                                     {"flops", kReal},
                                     {"work_bytes", kReal}};

constexpr Column kCallColumns[] = {
    {"process", kText},        {"rank", kInteger},     {"call", kInteger},
    {"thread", kInteger},      {"begin_ns", kInteger}, {"end_ns", kInteger},
    {"name", kText},           {"library", kText},     {"depth", kInteger},
    {"correlation", kInteger}, {"failed", kFlag},      {"capturing", kFlag}};

constexpr Column kStepColumns[] = {{"process", kText},   {"rank", kInteger},
                                   {"step", kInteger},   {"begin_ns", kInteger},
                                   {"end_ns", kInteger}, {"use", kText}};

std::string_view NameOf(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel: return "kernel";
    case ActivityKind::kMemcpy: return "memcpy";
    case ActivityKind::kMemset: break;
  }
  return "memset";
}

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

// 0 stands for none in the model.
void Known(uint64_t number, RowSink& sink) {
  number != 0 ? sink.Integer(Signed(number)) : sink.Null();
}

class KernelRows {
 public:
  KernelRows(const ExportInput& input, size_t p, RowSink& sink)
      : input_(input),
        process_(input.model.processes[p]),
        attribution_(input.attribution.processes[p]),
        steps_(input.steps[p].steps),
        sink_(sink) {}

  void Run() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      if (input_.Wants(process_, process_.activities[i])) Write(i);
    }
  }

 private:
  void Write(size_t i) {
    const Activity& activity = process_.activities[i];
    const Attributed& attributed = attribution_.activities[i];
    WriteOwner(process_, sink_);
    sink_.Integer(process_.devices[activity.device.value()].ordinal);
    sink_.Integer(Signed(process_.streams[activity.stream.value()].number));
    sink_.Integer(activity.begin_ns);
    sink_.Integer(activity.end_ns);
    sink_.Text(NameOf(activity.kind));
    sink_.Text(ActivityName(input_.model, activity));
    WriteClass(attributed);
    const CallId call = attributed.submitted_by;
    sink_.MaybeInteger(StepOf(call));
    call.known() ? sink_.Integer(Signed(call.value())) : sink_.Null();
    Known(activity.correlation, sink_);
    Known(activity.graph_node, sink_);
    const bool is_kernel = activity.kind == ActivityKind::kKernel;
    is_kernel ? sink_.Null() : sink_.Integer(Signed(activity.bytes));
    WriteShape(activity);
    const Efficiency work =
        EfficiencyOf(attribution_, activity, attributed,
                     activity.end_ns - activity.begin_ns, nullptr);
    work.known_ns > 0 ? sink_.Real(work.flops) : sink_.Null();
    work.bytes_ns > 0 ? sink_.Real(work.bytes) : sink_.Null();
    sink_.EndRow();
  }

  void WriteClass(const Attributed& attributed) {
    sink_.Text(analyzer::Name(attributed.layer_class));
    sink_.Text(analyzer::Name(attributed.direction));
    sink_.Text(analyzer::Name(attributed.class_from));
    sink_.Text(analyzer::Name(attributed.joined_by));
    sink_.Flag(attributed.autotune);
    const OpIdentity op = IdentityOf(process_, attribution_, attributed);
    sink_.MaybeText(op.scalars == nullptr ? "" : Scalars(*op.scalars));
  }

  void WriteShape(const Activity& activity) {
    if (activity.kind != ActivityKind::kKernel ||
        activity.shape >= process_.launch_shapes.size()) {
      for (int i = 0; i < 9; ++i) sink_.Null();
      return;
    }
    const LaunchShape& shape = process_.launch_shapes[activity.shape];
    for (const uint32_t size : shape.grid) sink_.Integer(size);
    for (const uint32_t size : shape.block) sink_.Integer(size);
    sink_.Integer(shape.registers_per_thread);
    sink_.Integer(shape.static_shared_bytes);
    sink_.Integer(shape.dynamic_shared_bytes);
  }

  // In which the host submitted it.
  std::optional<int64_t> StepOf(CallId call) const {
    if (!call.known()) return std::nullopt;
    const int64_t at_ns = process_.calls[call.value()].begin_ns;
    const auto after = std::upper_bound(
        steps_.begin(), steps_.end(), at_ns,
        [](int64_t at, const Step& step) { return at < step.begin_ns; });
    if (after == steps_.begin() || at_ns >= (after - 1)->end_ns) {
      return std::nullopt;
    }
    return after - 1 - steps_.begin();
  }

  const ExportInput& input_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<Step>& steps_;
  RowSink& sink_;
};

void WriteKernels(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    KernelRows(input, p, sink).Run();
  }
}

void WriteCalls(const ExportInput& input, RowSink& sink) {
  for (const Process& process : input.model.processes) {
    const ApiRecords records = JoinApiRecords(input.model, process);
    for (size_t i = 0; i < process.calls.size(); ++i) {
      const Call& call = process.calls[i];
      if (!input.Wants(call)) continue;
      const EntryPoint& entry = input.model.entry_points[call.entry.value()];
      WriteOwner(process, sink);
      sink.Integer(Signed(i));
      const size_t thread = call.thread.value();
      thread < process.threads.size()
          ? sink.Integer(Signed(process.threads[thread].tid))
          : sink.Null();
      sink.Integer(call.begin_ns);
      sink.Integer(call.end_ns);
      sink.Text(entry.symbol);
      sink.MaybeText(LibraryOf(entry));
      sink.Integer(call.depth);
      Known(records.of_call[i], sink);
      sink.Flag(call.failed);
      sink.Flag(call.capturing);
      sink.EndRow();
    }
  }
}

void WriteSteps(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    const std::vector<Step>& steps = input.steps[p].steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (!input.Wants(steps[i])) continue;
      WriteOwner(input.model.processes[p], sink);
      sink.Integer(Signed(i));
      sink.Integer(steps[i].begin_ns);
      sink.Integer(steps[i].end_ns);
      sink.Text(Name(steps[i].use));
      sink.EndRow();
    }
  }
}

}  // namespace

void WriteOwner(const Process& process, RowSink& sink) {
  sink.Text(process.host.empty()
                ? std::to_string(process.pid)
                : process.host + ":" + std::to_string(process.pid));
  process.rank ? sink.Integer(*process.rank) : sink.Null();
}

Table KernelsTable() { return {"kernels", kKernelColumns, WriteKernels}; }
Table CallsTable() { return {"calls", kCallColumns, WriteCalls}; }
Table StepsTable() { return {"steps", kStepColumns, WriteSteps}; }

}  // namespace dltap::analyzer
