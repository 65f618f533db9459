// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/event_tables.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "analyzer/exporters/activity_names.h"
#include "analyzer/exporters/api_records.h"
#include "analyzer/metrics/efficiency.h"
#include "analyzer/metrics/op_name.h"
#include "analyzer/metrics/step_at.h"
#include "analyzer/metrics/step_choice.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kKernelColumns[] = {{"process", kText},
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

constexpr TypedColumn kCallColumns[] = {
    {"process", kText},        {"rank", kInteger},     {"call", kInteger},
    {"thread", kInteger},      {"begin_ns", kInteger}, {"end_ns", kInteger},
    {"name", kText},           {"library", kText},     {"depth", kInteger},
    {"correlation", kInteger}, {"failed", kFlag},      {"capturing", kFlag}};

constexpr TypedColumn kStepColumns[] = {
    {"process", kText},     {"rank", kInteger},   {"step", kInteger},
    {"begin_ns", kInteger}, {"end_ns", kInteger}, {"use", kText}};

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
        steps_(input.steps[p]),
        names_(input.model),
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
    sink_.Integer(input_.At(activity.begin_ns));
    sink_.Integer(input_.At(activity.end_ns));
    sink_.Text(NameOf(activity.kind));
    sink_.Text(names_.Of(activity));
    WriteClass(attributed);
    const CallId call = attributed.submitted_by;
    sink_.MaybeInteger(SubmittedIn(process_, steps_, call));
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

  const ExportInput& input_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const Steps& steps_;
  ActivityNames names_;
  RowSink& sink_;
};

void WriteKernels(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    if (input.WantsProcess(p)) KernelRows(input, p, sink).Run();
  }
}

// In time, whatever their threads.
std::vector<size_t> CallOrder(const Process& process) {
  std::vector<size_t> order(process.calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return process.calls[a].begin_ns < process.calls[b].begin_ns;
  });
  return order;
}

void WriteCallsOf(const ExportInput& input, const Process& process,
                  RowSink& sink) {
  const ApiRecords records = JoinApiRecords(input.model, process);
  for (const size_t i : CallOrder(process)) {
    const Call& call = process.calls[i];
    if (!input.Wants(call)) continue;
    const EntryPoint& entry = input.model.entry_points[call.entry.value()];
    WriteOwner(process, sink);
    sink.Integer(Signed(i));
    const size_t thread = call.thread.value();
    thread < process.threads.size()
        ? sink.Integer(Signed(process.threads[thread].tid))
        : sink.Null();
    sink.Integer(input.At(call.begin_ns));
    sink.Integer(input.At(call.end_ns));
    sink.Text(entry.symbol);
    sink.MaybeText(LibraryOf(entry));
    sink.Integer(call.depth);
    Known(records.of_call[i], sink);
    sink.Flag(call.failed);
    sink.Flag(call.capturing);
    sink.EndRow();
  }
}

void WriteCalls(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    if (!input.WantsProcess(p)) continue;
    WriteCallsOf(input, input.model.processes[p], sink);
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

std::string OwnerOf(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  return process.host.empty() ? pid : process.host + ":" + pid;
}

void WriteOwner(const Process& process, RowSink& sink) {
  sink.Text(OwnerOf(process));
  process.rank ? sink.Integer(*process.rank) : sink.Null();
}

ExportTable KernelsTable() { return {"kernels", kKernelColumns, WriteKernels}; }
ExportTable CallsTable() { return {"calls", kCallColumns, WriteCalls}; }
ExportTable StepsTable() { return {"steps", kStepColumns, WriteSteps}; }

}  // namespace dltap::analyzer
