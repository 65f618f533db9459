// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/export_input.h"

#include <algorithm>

#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

std::string_view NameOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable: return "Pageable";
    case MemoryKind::kPinned: return "Pinned";
    case MemoryKind::kDevice: return "Device";
    case MemoryKind::kArray: return "Array";
    case MemoryKind::kManaged: return "Managed";
    case MemoryKind::kUnknown: break;
  }
  return "Unknown";
}

std::string_view NameOf(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice: return "HtoD";
    case CopyKind::kDeviceToHost: return "DtoH";
    case CopyKind::kPeer: return "PtoP";
    default: return "DtoD";
  }
}

// The one that makes the first call of the first step.
ThreadId LoopThread(const Process& process, const std::vector<Step>& steps) {
  const Call* first = nullptr;
  for (const Call& call : process.calls) {
    if (steps.empty() || call.begin_ns < steps.front().begin_ns) continue;
    if (first == nullptr || call.begin_ns < first->begin_ns) first = &call;
  }
  return first == nullptr ? ThreadId(0) : first->thread;
}

}  // namespace

bool ExportInput::Wants(const Process& process,
                        const Activity& activity) const {
  return Wants(activity.begin_ns, activity.end_ns) &&
         Selects(selection, process.devices[activity.device.value()]);
}

ExportInput MakeExportInput(const TraceModel& model,
                            const Attribution& attribution,
                            const Selection& selection) {
  ExportInput input{
      model, attribution, selection, {}, FindCollectives(model, attribution)};
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const Process& process = model.processes[p];
    const ProcessAttribution& attributed = attribution.processes[p];
    input.steps.push_back(FindSteps(model, process, attributed));
    ChooseSteps(process, attributed, {}, input.steps.back());
  }
  return input;
}

std::string ActivityName(const TraceModel& model, const Activity& activity) {
  const auto text = [](std::string_view view) { return std::string(view); };
  switch (activity.kind) {
    case ActivityKind::kKernel: return Demangle(model.texts[activity.name]);
    case ActivityKind::kMemset: return "Memset (Device)";
    case ActivityKind::kMemcpy: break;
  }
  return "Memcpy " + text(NameOf(activity.copy)) + " (" +
         text(NameOf(activity.source)) + " -> " +
         text(NameOf(activity.target)) + ")";
}

std::string_view Name(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel: return "kernel";
    case ActivityKind::kMemcpy: return "memcpy";
    case ActivityKind::kMemset: break;
  }
  return "memset";
}

std::string_view LibraryOf(const EntryPoint& entry) {
  if (!entry.library.empty() || entry.info == nullptr) return entry.library;
  return specs::Name(entry.info->library);
}

std::string_view ApiCategory(const EntryPoint& entry) {
  if (entry.library.ends_with("_runtime") ||
      entry.library.ends_with("_driver")) {
    return entry.library;
  }
  const std::string_view library = LibraryOf(entry);
  if (library == "cudart") return "cuda_runtime";
  if (library == "cuda") return "cuda_driver";
  return "";
}

std::vector<StepMark> StepMarks(const ExportInput& input, size_t p) {
  const Process& process = input.model.processes[p];
  const auto is_step = [](const Range& range) {
    return range.kind == RangeKind::kStep;
  };
  if (std::any_of(process.ranges.begin(), process.ranges.end(), is_step)) {
    return {};
  }
  const std::vector<Step>& steps = input.steps[p].steps;
  const ThreadId thread = LoopThread(process, steps);
  std::vector<StepMark> marks;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (!input.Wants(step)) continue;
    const std::string name = step.use == StepUse::kUsed
                                 ? "ProfilerStep#"
                                 : std::string(Name(step.use)) + " step ";
    marks.push_back(
        {name + std::to_string(i), step.begin_ns, step.end_ns, thread});
  }
  return marks;
}

std::string DeviceLabel(const Device& device) {
  return "GPU " + std::to_string(device.ordinal) +
         (device.name.empty() ? "" : " " + device.name) +
         (device.simulated ? " (simulated)" : "");
}

std::string ProcessLabel(const Process& process) {
  if (process.rank) return "rank " + std::to_string(*process.rank);
  return (process.host.empty() ? "" : process.host + ":") +
         std::to_string(process.pid);
}

}  // namespace dltap::analyzer
