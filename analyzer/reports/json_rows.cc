// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_rows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/reports/json_host.h"

namespace dltap::analyzer {
namespace {

// What other tools' traces lack: CPU samples, and our own cost.
bool OnlyOwnTracesShow(IdleCause cause) {
  return cause == IdleCause::kFramework || cause == IdleCause::kPreempted ||
         cause == IdleCause::kBlocked || cause == IdleCause::kProfiler;
}

template <typename Times>
void WriteCauses(const Times& ns, bool imported, JsonWriter& json) {
  for (const bool host : {true, false}) {
    json.Key(host ? "host_ns" : "device_ns");
    json.BeginObject();
    for (size_t i = 0; i < kIdleCauses; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      if (IsHostCause(cause) != host) continue;
      const bool is_unknown =
          imported && OnlyOwnTracesShow(cause) && ns[i] == 0;
      json.Key(Name(cause));
      is_unknown ? json.Null() : json.Value(ns[i]);
    }
    json.EndObject();
  }
}

template <typename Enum, typename Array>
void WriteByName(std::string_view key, const Array& values, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  for (size_t i = 0; i < values.size(); ++i) {
    json.Field(Name(static_cast<Enum>(i)), values[i]);
  }
  json.EndObject();
}

void WriteName(std::string_view key, std::string_view name, JsonWriter& json) {
  json.Key(key);
  name.empty() ? json.Null() : json.Value(name);
}

// What the exposed part of communication is.
void WriteCommTimes(const Exposures& exposures, JsonWriter& json) {
  json.Field("waiting_ns", exposures.comm_times.waiting_ns);
  json.Field("transfer_ns", exposures.comm_times.transfer_ns);
  json.Field("unknown_ns", exposures.comm_times.unknown_ns);
  json.Field("waiting_step_ns", exposures.waiting_step_ns);
  json.Field("transfer_step_ns", exposures.transfer_step_ns);
  json.Field("unknown_step_ns", exposures.unknown_step_ns);
}

void WriteBound(LimitedBy bound, JsonWriter& json) {
  WriteName("bound", bound == LimitedBy::kUnknown ? "" : Name(bound), json);
}

}  // namespace

void WriteIdle(const std::array<double, kIdleCauses>& ns, bool imported,
               JsonWriter& json) {
  WriteCauses(ns, imported, json);
}

void WriteIdle(const IdleTimes& ns, bool imported, JsonWriter& json) {
  WriteCauses(ns, imported, json);
}

void WriteDrained(const DrainTimes& ns, JsonWriter& json) {
  WriteByName<DrainedBy>("drained_ns", ns, json);
}

void WriteStepPart(const StepPart& part, JsonWriter& json) {
  json.BeginObject();
  json.Field("phase", Name(part.phase));
  WriteName("class", part.layer_class ? Name(*part.layer_class) : "", json);
  WriteName("cause", part.cause ? Name(*part.cause) : "", json);
  json.Field("ns", part.step_ns);
  json.EndObject();
}

void WriteDrain(const DrainRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", row.name);
  json.Field("calls", row.sums.calls);
  json.Field("host_ns", row.sums.host_ns);
  json.Field("calls_per_step", row.calls_per_step);
  json.Field("host_step_ns", row.host_step_ns);
  json.EndObject();
}

void WriteUnknown(const UnknownRow& row, JsonWriter& json) {
  json.BeginObject();
  WriteName("class", row.layer_class ? Name(*row.layer_class) : "", json);
  json.Field("name", row.name);
  json.Field("ns", row.ns);
  json.Field("step_ns", row.step_ns);
  json.EndObject();
}

void WriteSeen(const SeenRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("state", Name(row.in));
  json.Field("name", row.name);
  json.Field("looks", row.looks);
  json.Field("of_looks", row.of);
  json.Field("step_ns", row.step_ns);
  json.EndObject();
}

void WriteClassFigures(const ClassFigures& figures, JsonWriter& json) {
  const ClassSummary& sums = figures.sums;
  const StepShare& step = figures.step_mean;
  json.Field("gpu_ns", sums.gpu_ns);
  json.Field("share", figures.share);
  json.Field("calls", sums.calls);
  json.Field("kernels", sums.kernels);
  json.Field("mean_kernel_ns", figures.mean_kernel_ns);
  json.Field("utilization", figures.utilization);
  json.Field("cpu_dependency", figures.cpu_dependency);
  json.Field("flops", sums.efficiency.flops > 0
                          ? std::optional(sums.efficiency.flops)
                          : std::nullopt);
  json.Field("tflops", figures.tflops);
  json.Field("executed_flops",
             sums.efficiency.executed_flops > 0
                 ? std::optional(sums.efficiency.executed_flops)
                 : std::nullopt);
  json.Field("executed_tflops", figures.executed_tflops);
  json.Field("of_peak", figures.of_peak);
  json.Field("fp64_share", figures.fp64_share);
  const bool moves = sums.efficiency.bytes > 0;
  json.Field("bytes",
             moves ? std::optional(sums.efficiency.bytes) : std::nullopt);
  json.Field("bytes_least",
             moves ? std::optional(sums.efficiency.bytes_least) : std::nullopt);
  json.Field("bandwidth_gbs", figures.bandwidth_gbs);
  json.Field("of_bandwidth", figures.of_bandwidth);
  json.Field("forward_ns", sums.of(Direction::kForward));
  json.Field("backward_ns", sums.backward_ns());
  json.Field("update_ns", sums.of(Direction::kUpdate));
  json.Key("step_mean");
  json.BeginObject();
  json.Field("gpu_ns", step.gpu_ns);
  json.Field("calls", step.calls);
  json.Field("kernels", step.kernels);
  json.Field("forward_ns", step.forward_ns);
  json.Field("backward_ns", step.backward_ns);
  json.Field("update_ns", step.update_ns);
  json.Field("exposed_ns", step.exposed_ns);
  json.Field("hidden_ns", step.hidden_ns);
  json.EndObject();
}

void WriteExposures(const Exposures& exposures, JsonWriter& json) {
  json.Key("exposure");
  json.BeginObject();
  for (const bool comm : {true, false}) {
    const Exposure& of = comm ? exposures.comm : exposures.copies;
    json.Key(comm ? "comm" : "copies");
    json.BeginObject();
    json.Field("exposed_ns", of.exposed_ns);
    json.Field("hidden_ns", of.hidden_ns);
    json.Field("exposed_step_ns", of.exposed_step_ns);
    json.Field("hidden_step_ns", of.hidden_step_ns);
    if (comm) WriteCommTimes(exposures, json);
    json.EndObject();
  }
  json.EndObject();
}

void WriteClass(const ClassRow& row, bool imported, JsonWriter& json) {
  const ClassSummary& sums = row.figures.sums;
  json.BeginObject();
  json.Field("class", Name(row.layer_class));
  json.Field("busy_ns", sums.busy_ns);
  json.Field("exclusive_ns", sums.exclusive_ns);
  const bool moves = row.figures.step_mean.exposed_ns.has_value();
  json.Field("exposed_ns",
             moves ? std::optional(sums.exposed_ns) : std::nullopt);
  json.Field("hidden_ns",
             moves ? std::optional(sums.hidden_ns()) : std::nullopt);
  WriteClassFigures(row.figures, json);
  WriteBound(row.bound, json);
  WriteIdle(sums.idle_ns, imported, json);
  WriteDrained(sums.drained_ns, json);
  WriteByName<Direction>("direction_ns", sums.direction_ns, json);
  WriteByName<JoinedBy>("joined_by", sums.joined_by_ns, json);
  WriteByName<ClassFrom>("class_from", sums.class_from_ns, json);
  json.EndObject();
}

void WriteApi(const ApiRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", row.name);
  json.Field("calls", row.sums.calls);
  json.Field("cpu_ns", row.sums.cpu_ns);
  json.Field("mean_cpu_ns", row.mean_cpu_ns);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.EndObject();
}

void WriteKernel(const KernelRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", row.name);
  json.Field("class", Name(row.layer_class));
  json.Field("count", row.sums.count);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.Field("mean_ns", row.mean_ns);
  json.Field("share", row.share);
  json.EndObject();
}

void WriteSite(const SiteRow& row, JsonWriter& json) {
  json.BeginObject();
  if (row.site.path.empty()) {
    json.Key("site");
    json.Null();
    json.Key("path");
    json.Null();
  } else {
    json.Field("site", row.site.text);
    json.Field("path", row.site.path);
  }
  json.Field("class", Name(row.layer_class));
  json.Field("calls", row.sums.calls);
  json.Field("kernels", row.sums.kernels);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.Field("share", row.share);
  json.EndObject();
}

namespace {

// By GPU time.
void WriteOpKernels(const OpSums& sums, JsonWriter& json) {
  std::vector<std::pair<std::string_view, OpKernelSums>> rows(
      sums.kernels.begin(), sums.kernels.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.gpu_ns > b.second.gpu_ns;
  });
  json.Key("kernels");
  json.BeginArray();
  for (const auto& [name, kernel] : rows) {
    json.BeginObject();
    json.Field("name", name);
    json.Field("count", kernel.count);
    json.Field("gpu_ns", kernel.gpu_ns);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteOp(const OpRow& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", row.name);
  json.Field("class", Name(row.layer_class));
  json.Field("direction", Name(row.direction));
  json.Field("count", row.sums.count);
  json.Field("gpu_ns", row.sums.gpu_ns);
  json.Field("share", row.share);
  json.Field("tflops", row.tflops);
  WriteOpKernels(row.sums, json);
  json.EndObject();
}

// The cause of kClass is its bound, or that its kernels are too small.
void WriteLimit(const Limit& limit, JsonWriter& json) {
  std::string_view cause;
  if (limit.idle_cause) cause = Name(*limit.idle_cause);
  if (limit.bound != LimitedBy::kUnknown) cause = Name(limit.bound);
  if (limit.layer_class && limit.small_kernels) cause = "small_kernels";
  json.BeginObject();
  json.Field("kind", Name(limit.kind));
  WriteName("class", limit.layer_class ? Name(*limit.layer_class) : "", json);
  WriteName("cause", cause, json);
  WriteName("fault", limit.fault ? Name(*limit.fault) : "", json);
  std::string_view where;
  if (limit.charged_to) where = Name(*limit.charged_to);
  if (limit.between_steps) where = "between_steps";
  WriteName("where", where, json);
  json.Field("share", limit.share);
  json.Field("ns", limit.ns);
  json.Field("step_mean_ns", limit.step_ns);
  json.Field("small_kernels", limit.small_kernels);
  json.Field("waiting_step_mean_ns", limit.waiting_step_ns);
  const auto& straggler = limit.straggler;
  json.Field("rank", straggler ? straggler->process.rank : std::nullopt);
  json.Key("process");
  straggler ? json.Value(ProcessName(straggler->process)) : json.Null();
  json.Field("last_share", limit.straggler_last_share);
  std::string_view late_by;
  if (limit.late_step_ns) late_by = "compute";
  if (limit.late_fault) late_by = Name(*limit.late_fault);
  WriteName("late_by", late_by, json);
  json.Field("late_by_step_mean_ns", limit.late_step_ns);
  json.EndObject();
}

std::string ProcessName(const ProcessKey& process) {
  return process.host + ":" + std::to_string(process.pid);
}

void WriteRanges(const std::vector<size_t>& indices, JsonWriter& json) {
  for (size_t i = 0; i < indices.size();) {
    size_t last = i;
    while (last + 1 < indices.size() &&
           indices[last + 1] == indices[last] + 1) {
      ++last;
    }
    json.BeginArray();
    json.Value(static_cast<uint64_t>(indices[i]));
    json.Value(static_cast<uint64_t>(indices[last]));
    json.EndArray();
    i = last + 1;
  }
}

void WriteWindows(const std::vector<Interval>& windows, JsonWriter& json) {
  json.Key("windows");
  json.BeginArray();
  for (const Interval& window : windows) {
    json.BeginArray();
    json.Value(window.begin_ns);
    json.Value(window.end_ns);
    json.EndArray();
  }
  json.EndArray();
}

void WriteProcess(const ProcessSummary& process, JsonWriter& json) {
  json.BeginObject();
  json.Field("process", ProcessName(process.key));
  json.Field("rank", process.key.rank);
  WriteName("program", process.program, json);
  WriteName("framework", process.framework, json);
  json.Field("level", process.level);
  WriteName("why", process.level_reason, json);
  json.Field("overhead_ns", process.overhead_ns);
  json.Field("cupti_overhead_ns", process.source_overhead_ns);
  json.Key("cpu");
  WriteCpu(process.cpu, json);
  json.Field("gpu_work", process.has_gpu_work);
  json.Field("complete", process.complete);
  json.Key("inside");
  if (process.inside) {
    json.BeginObject();
    json.Field("name", process.inside->name);
    json.Field("ns", process.inside->ns);
    json.EndObject();
  } else {
    json.Null();
  }
  json.Key("steps");
  json.BeginObject();
  json.Field("count", process.steps.found());
  json.Key("used");
  json.BeginArray();
  WriteRanges(process.steps.used, json);
  json.EndArray();
  json.Field("found_by", Name(process.steps.found_by));
  json.EndObject();
  json.EndObject();
}

void WriteDevice(const DeviceFigures& device, JsonWriter& json) {
  const DeviceSummary& sums = *device.sums;
  const bool is_shared = sums.processes.size() > 1;
  json.BeginObject();
  json.Field("process", ProcessName(sums.processes.front()));
  json.Key("processes");
  json.BeginArray();
  for (const ProcessKey& process : sums.processes) {
    json.Value(ProcessName(process));
  }
  json.EndArray();
  json.Key("uses");
  json.BeginArray();
  for (const auto& [process, use] : sums.uses) {
    json.BeginObject();
    json.Field("process", ProcessName(process));
    json.Field("busy_ns", use.busy_ns);
    json.Field("others_ns", use.others_ns);
    json.EndObject();
  }
  json.EndArray();
  json.Field("rank", is_shared ? std::nullopt : sums.processes.front().rank);
  json.Field("id", sums.ordinal);
  json.Field("name", sums.name);
  WriteName("uuid", sums.uuid, json);
  json.Field("wall_ns", sums.wall_ns);
  json.Field("observed_ns", sums.observed_ns());
  json.Field("busy_ns", sums.busy_ns());
  json.Field("compute_ns", sums.in(DeviceState::kCompute));
  json.Field("comm_exposed_ns", sums.in(DeviceState::kComm));
  json.Field("comm_waiting_ns", sums.comm_exposed.waiting_ns);
  json.Field("comm_transfer_ns", sums.comm_exposed.transfer_ns);
  json.Field("comm_unknown_ns", sums.comm_exposed.unknown_ns);
  json.Field("comm_hidden_ns", sums.comm_hidden_ns());
  json.Field("copy_exposed_ns", sums.in(DeviceState::kCopy));
  json.Field("copy_hidden_ns", sums.copy_hidden_ns);
  json.Field("idle_ns", sums.in(DeviceState::kIdle));
  json.Field("not_observed_ns", sums.in(DeviceState::kNotObserved));
  json.Field("utilization", device.utilization);
  json.Field("comm_exposed_share", device.comm_share);
  json.Field("copy_exposed_share", device.copy_share);
  json.Field("idle_share", device.idle_share);
  WriteWindows(sums.windows, json);
  json.Key("steps");
  json.BeginArray();
  for (const StepTime& step : sums.steps) {
    json.BeginObject();
    json.Field("process", ProcessName(sums.processes[step.process]));
    json.Field("step", static_cast<uint64_t>(step.step));
    json.Field("ns", step.ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

std::string_view Name(StepsFoundBy found_by) {
  constexpr std::string_view kNames[] = {"none", "marker", "period"};
  return kNames[static_cast<size_t>(found_by)];
}

}  // namespace dltap::analyzer
