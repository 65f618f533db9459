// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/sum_tables.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/exporters/cause_columns.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/exporters/process_account.h"
#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/classes/work_sums.h"
#include "analyzer/metrics/devices/step_accounts.h"
#include "analyzer/metrics/memory/peak_memory.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "opmodel/collective_time.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr std::array<TypedColumn, kDeviceStates> kStateColumns = {
    TypedColumn{"compute_ns", kInteger},
    TypedColumn{"comm_exposed_ns", kInteger},
    TypedColumn{"copy_exposed_ns", kInteger}, TypedColumn{"idle_ns", kInteger},
    TypedColumn{"not_observed_ns", kInteger}};

constexpr size_t kStepHead = 8;
constexpr size_t kStepTail = 2;
constexpr size_t kStepColumnCount =
    kStepHead + kDeviceStates + kStepTail + kIdleCauses;

constexpr std::array<TypedColumn, kStepColumnCount> MakeStepColumns() {
  std::array<TypedColumn, kStepColumnCount> columns = {
      TypedColumn{"process", kText},
      {"device", kInteger},
      {"step", kInteger},
      {"use", kText},
      {"begin_ns", kInteger},
      {"end_ns", kInteger},
      {"host_begin_ns", kInteger},
      {"host_end_ns", kInteger}};
  size_t at = kStepHead;
  for (const TypedColumn& column : kStateColumns) columns[at++] = column;
  columns[at++] = {"kernels", kInteger};
  columns[at++] = {"gpu_ns", kInteger};
  for (const std::string_view name : kCauseColumns) {
    columns[at++] = {name, kInteger};
  }
  return columns;
}
constexpr std::array<TypedColumn, kStepColumnCount> kStepColumns =
    MakeStepColumns();

constexpr TypedColumn kClassColumns[] = {
    {"process", kText},   {"device", kInteger}, {"step", kInteger},
    {"class", kText},     {"direction", kText}, {"kernels", kInteger},
    {"gpu_ns", kInteger}, {"min_ns", kInteger}, {"max_ns", kInteger},
    {"flops", kReal},     {"bytes", kReal}};

constexpr TypedColumn kDurationColumns[] = {
    {"process", kText},    {"device", kInteger}, {"class", kText},
    {"direction", kText},  {"name", kText},      {"bucket", kInteger},
    {"kernels", kInteger}, {"gpu_ns", kInteger}, {"min_ns", kInteger},
    {"max_ns", kInteger}};

constexpr TypedColumn kDeviceColumns[] = {{"process", kText},
                                          {"device", kInteger},
                                          {"name", kText},
                                          {"uuid", kText},
                                          {"sms", kInteger},
                                          {"memory_bytes", kInteger},
                                          {"simulated", kFlag},
                                          {"wall_ns", kInteger},
                                          {"busy_ns", kInteger},
                                          {"compute_ns", kInteger},
                                          {"comm_exposed_ns", kInteger},
                                          {"copy_exposed_ns", kInteger},
                                          {"idle_ns", kInteger},
                                          {"not_observed_ns", kInteger},
                                          {"peak_memory_bytes", kInteger},
                                          {"link_bytes_per_s", kReal}};

constexpr TypedColumn kLookColumns[] = {{"process", kText},
                                        {"device", kInteger},
                                        {"seen_in", kText},
                                        {"place", kText},
                                        {"looks", kInteger}};

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

template <typename Visit>  // Visit(process, attribution, steps)
void VisitProcesses(const ExportInput& input, Visit visit) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    if (!input.WantsProcess(p)) continue;
    visit(input.model.processes[p], input.attribution.processes[p],
          input.steps[p]);
  }
}

void WriteSum(const WorkSum& sum, RowSink& sink) {
  sink.Integer(Signed(sum.kernels));
  sink.Integer(sum.gpu_ns);
  sink.Integer(sum.min_ns);
  sink.Integer(sum.max_ns);
}

// Kernels and their time by device and step.
using StepWork = std::map<std::pair<size_t, size_t>, WorkSum>;

StepWork StepWorkOf(const ProcessAccount& account, const Steps& steps) {
  StepWork out;
  for (const auto& [key, sum] : account.classes) {
    // Without steps the run is one.
    if (!key.step && !steps.steps.empty()) continue;
    WorkSum& into = out[{key.device, key.step.value_or(0)}];
    into.kernels += sum.kernels;
    into.gpu_ns += sum.gpu_ns;
  }
  return out;
}

class StepRows {
 public:
  StepRows(const ExportInput& input, const Process& process, const Steps& steps,
           RowSink& sink)
      : input_(input),
        process_(process),
        steps_(steps),
        work_(StepWorkOf(*input.account, steps)),
        sink_(sink) {}

  void Run() {
    for (size_t d = 0; d < process_.devices.size(); ++d) {
      for (const StepAccount& account : input_.account->steps[d]) {
        Write(d, account);
      }
    }
  }

 private:
  void Write(size_t device, const StepAccount& account) {
    const bool is_step = !steps_.steps.empty();
    sink_.Text(OwnerOf(process_));
    sink_.Integer(process_.devices[device].ordinal);
    const size_t number = account.window.step;
    sink_.Integer(Signed(number));
    sink_.Text(is_step ? Name(steps_.steps[number].use) : "whole_run");
    sink_.Integer(input_.At(account.window.span.begin_ns));
    sink_.Integer(input_.At(account.window.span.end_ns));
    sink_.Integer(
        input_.At(is_step ? steps_.steps[number].begin_ns : process_.begin_ns));
    sink_.Integer(
        input_.At(is_step ? steps_.steps[number].end_ns : process_.end_ns));
    for (const int64_t ns : account.state_ns) sink_.Integer(ns);
    const auto found = work_.find({device, number});
    const WorkSum work = found == work_.end() ? WorkSum{} : found->second;
    sink_.Integer(Signed(work.kernels));
    sink_.Integer(work.gpu_ns);
    for (const int64_t ns : account.idle_ns) sink_.Integer(ns);
    sink_.EndRow();
  }

  const ExportInput& input_;
  const Process& process_;
  const Steps& steps_;
  const StepWork work_;
  RowSink& sink_;
};

void WriteSteps(const ExportInput& input, RowSink& sink) {
  VisitProcesses(input, [&](const Process& process, const ProcessAttribution&,
                            const Steps& steps) {
    StepRows(input, process, steps, sink).Run();
  });
}

void WriteClasses(const ExportInput& input, RowSink& sink) {
  VisitProcesses(input, [&](const Process& process, const ProcessAttribution&,
                            const Steps&) {
    for (const auto& [key, sum] : input.account->classes) {
      sink.Text(OwnerOf(process));
      sink.Integer(process.devices[key.device].ordinal);
      key.step ? sink.Integer(Signed(*key.step)) : sink.Null();
      sink.Text(Name(key.layer_class));
      sink.Text(Name(key.direction));
      WriteSum(sum, sink);
      sink.MaybeReal(sum.flops);
      sink.MaybeReal(sum.bytes);
      sink.EndRow();
    }
  });
}

void WriteDurations(const ExportInput& input, RowSink& sink) {
  VisitProcesses(
      input, [&](const Process& process, const ProcessAttribution& attribution,
                 const Steps&) {
        for (const auto& [key, sum] : DurationSums(process, attribution)) {
          sink.Text(OwnerOf(process));
          sink.Integer(process.devices[key.device].ordinal);
          sink.Text(Name(key.layer_class));
          sink.Text(Name(key.direction));
          sink.Text(ActivityName(input.model, process.activities[key.like]));
          sink.Integer(key.bucket);
          WriteSum(sum, sink);
          sink.EndRow();
        }
      });
}

// Over the steps that the report would use.
StepAccount UsedPart(const std::vector<StepAccount>& accounts,
                     const Steps& steps) {
  StepAccount out;
  for (const StepAccount& account : accounts) {
    const bool is_used = steps.steps.empty() ||
                         steps.steps[account.window.step].use == StepUse::kUsed;
    if (is_used) AddTo(out.state_ns, account.state_ns);
  }
  return out;
}

// To the GPUs of the same host, as the table of GPUs has it.
std::optional<double> LinkOf(const Device& device) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpuByProduct(device.name);
  if (gpu == nullptr) return std::nullopt;
  return opmodel::LinkBandwidth(opmodel::DefaultLink(*gpu), *gpu);
}

void WriteDevice(const Process& process, const Device& device,
                 const StepAccount& used, std::optional<int64_t> peak_bytes,
                 RowSink& sink) {
  sink.Text(OwnerOf(process));
  sink.Integer(device.ordinal);
  sink.MaybeText(device.name);
  sink.MaybeText(device.uuid);
  device.sms > 0 ? sink.Integer(device.sms) : sink.Null();
  device.memory_bytes > 0 ? sink.Integer(device.memory_bytes) : sink.Null();
  sink.Flag(device.simulated);
  const int64_t busy_ns = used.of(DeviceState::kCompute) +
                          used.of(DeviceState::kComm) +
                          used.of(DeviceState::kCopy);
  sink.Integer(busy_ns + used.of(DeviceState::kIdle) +
               used.of(DeviceState::kNotObserved));
  sink.Integer(busy_ns);
  for (const int64_t ns : used.state_ns) sink.Integer(ns);
  sink.MaybeInteger(peak_bytes);
  sink.MaybeReal(LinkOf(device));
  sink.EndRow();
}

void WriteDevices(const ExportInput& input, RowSink& sink) {
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    if (!input.WantsProcess(p)) continue;
    const Process& process = input.model.processes[p];
    const auto peaks = PeakMemory(input.model, input.attribution, p);
    for (size_t d = 0; d < process.devices.size(); ++d) {
      const auto peak = peaks.find(process.devices[d].ordinal);
      WriteDevice(
          process, process.devices[d],
          UsedPart(input.account->steps[d], input.steps[p]),
          peak == peaks.end() ? std::nullopt : std::optional(peak->second),
          sink);
    }
  }
}

void WriteLook(const Process& process, const Device& device, SeenIn in,
               std::string_view place, uint64_t looks, RowSink& sink) {
  if (looks == 0) return;
  sink.Text(OwnerOf(process));
  sink.Integer(device.ordinal);
  sink.Text(Name(in));
  sink.MaybeText(place);
  sink.Integer(Signed(looks));
  sink.EndRow();
}

void WriteLooks(const ExportInput& input, RowSink& sink) {
  VisitProcesses(input, [&](const Process& process, const ProcessAttribution&,
                            const Steps&) {
    for (size_t d = 0; d < process.devices.size(); ++d) {
      const SeenFrames& seen = input.account->seen_frames[d];
      for (size_t i = 0; i < kSeenIn; ++i) {
        const auto in = static_cast<SeenIn>(i);
        uint64_t unknown = seen.all[i];
        for (const auto& [place, looks] : seen.by_name[i]) {
          WriteLook(process, process.devices[d], in, place, looks, sink);
          unknown -= looks;
        }
        WriteLook(process, process.devices[d], in, "", unknown, sink);
      }
    }
  });
}

}  // namespace

ExportTable StepSumsTable() { return {"steps", kStepColumns, WriteSteps}; }
ExportTable ClassSumsTable() {
  return {"classes", kClassColumns, WriteClasses};
}
ExportTable DurationSumsTable() {
  return {"durations", kDurationColumns, WriteDurations};
}
ExportTable DevicesTable() { return {"devices", kDeviceColumns, WriteDevices}; }

ExportTable LooksTable() { return {"looks", kLookColumns, WriteLooks}; }

}  // namespace dltap::analyzer
