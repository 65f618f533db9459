// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzer/metrics/source_cost.h"

namespace dltap::analyzer {
namespace {

StepSummary SummariseSteps(const Steps& steps) {
  StepSummary out;
  out.found_by = steps.found_by;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const StepUse use = steps.steps[i].use;
    ++out.by_use[static_cast<size_t>(use)];
    if (use == StepUse::kUsed) out.used.push_back(i);
  }
  return out;
}

// All but what needs the steps.
ProcessSummary Describe(const Process& process,
                        const ProcessAttribution& attribution) {
  ProcessSummary out;
  out.rank = process.rank;
  out.host = process.host;
  out.pid = process.pid;
  out.program = process.program;
  out.command = process.command;
  out.command_is_cut = process.command_is_cut;
  out.framework = process.framework;
  out.level = process.level;
  out.level_reason = process.level_reason;
  for (const Loss& loss : process.losses) out.lost[loss.cause] += loss.count;
  out.launches_without_kernel = attribution.launches_without_kernel;
  out.kernels_without_launch = attribution.kernels_without_launch;
  out.clock_residual_ns = process.clock_residual_ns;
  out.composite_ns = attribution.composite_ns;
  out.recorded_launches = process.launches.size();
  out.cpu = CpuUseOf(process);
  out.has_delays = !process.delays.empty();
  if (process.per_call_overhead_ns >= 0) {
    out.overhead_ns = process.per_call_overhead_ns *
                      static_cast<int64_t>(process.calls.size());
  }
  return out;
}

// The device that the process keeps busy: its steps are the ones to judge by.
DeviceId BusiestDevice(const Process& process) {
  std::vector<int64_t> busy_ns(process.devices.size());
  for (const Activity& activity : process.activities) {
    busy_ns[activity.device.value()] += activity.end_ns - activity.begin_ns;
  }
  const auto busiest = std::max_element(busy_ns.begin(), busy_ns.end());
  return DeviceId(static_cast<size_t>(busiest - busy_ns.begin()));
}

Summary OfSource(const TraceModel& model) {
  Summary out;
  out.formats = {model.format};
  out.files = {model.files.begin(), model.files.end()};
  out.simulated = model.simulated;
  return out;
}

}  // namespace

uint64_t StepSummary::found() const {
  return std::accumulate(by_use.begin(), by_use.end(), uint64_t{0});
}

Summary SummariseProcess(const TraceModel& model, const Process& process,
                         const ProcessAttribution& attribution) {
  Summary out = OfSource(model);
  ProcessSummary& summary =
      out.processes.emplace_back(Describe(process, attribution));
  const Steps found = FindSteps(model, process, attribution);
  const Steps steps = WithoutDelayed(process, found);
  if (!process.devices.empty()) {
    summary.delays =
        DelayEffects(process, attribution, found, BusiestDevice(process));
  }
  summary.source_overhead_ns = SourceCostOf(model, process, attribution);
  summary.steps = SummariseSteps(steps);
  TallyKeeper tallies(model, process, attribution, out.tallies);
  for (size_t d = 0; d < process.devices.size(); ++d) {
    auto device = SummariseDevice(model, process, attribution, steps,
                                  DeviceId(d), tallies);
    if (device) summary.devices.push_back(*std::move(device));
  }
  tallies.AddCalls(steps);
  return out;
}

Summary Merge(Summary a, const Summary& b) {
  a.formats.insert(b.formats.begin(), b.formats.end());
  a.files.insert(b.files.begin(), b.files.end());
  a.simulated = a.simulated || b.simulated;
  const auto middle = static_cast<ptrdiff_t>(a.processes.size());
  a.processes.insert(a.processes.end(), b.processes.begin(), b.processes.end());
  std::inplace_merge(a.processes.begin(), a.processes.begin() + middle,
                     a.processes.end());
  a.tallies.Add(b.tallies);
  return a;
}

Summary Summarise(const TraceModel& model, const Attribution& attribution) {
  Summary out = OfSource(model);
  for (size_t p = 0; p < model.processes.size(); ++p) {
    out = Merge(std::move(out), SummariseProcess(model, model.processes[p],
                                                 attribution.processes[p]));
  }
  return out;
}

}  // namespace dltap::analyzer
