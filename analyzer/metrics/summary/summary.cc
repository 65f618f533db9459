// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/summary.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/memory/memory_account.h"
#include "analyzer/metrics/summary/device_account.h"
#include "analyzer/metrics/summary/joint_replay.h"
#include "analyzer/metrics/summary/source_cost.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "analyzer/model/simulation_marks.h"

namespace dltap::analyzer {

StepSummary SummariseSteps(const Steps& steps) {
  StepSummary out;
  out.found_by = steps.found_by;
  out.threads_at_once = steps.threads_at_once;
  out.other_count = steps.other_count;
  for (size_t i = 0; i < steps.steps.size(); ++i) {
    const Step& step = steps.steps[i];
    const StepUse use = step.use;
    ++out.by_use[static_cast<size_t>(use)];
    out.wall_ns[static_cast<size_t>(use)] += step.end_ns - step.begin_ns;
    if (use != StepUse::kUsed) continue;
    out.used.push_back(i);
    out.with_module_loads += step.loads_modules ? 1 : 0;
  }
  return out;
}

namespace {

// Our own cost: unknown where it was not measured or makes no sense.
std::optional<int64_t> OverheadOf(const Process& process, uint64_t calls) {
  int64_t ns = 0;
  const bool too_much = __builtin_mul_overflow(
      process.per_call_overhead_ns, static_cast<int64_t>(calls), &ns);
  if (process.per_call_overhead_ns < 0 || too_much) return std::nullopt;
  return ns;
}

CutTail TailOf(const Process& process) {
  CutTail tail{process.end_ns, process.end_ns};
  for (const NotObserved& missing : process.not_observed) {
    if (missing.cause != NotObservedCause::kAfterWatermark) continue;
    tail.gpu_ns = std::min(tail.gpu_ns, missing.begin_ns);
  }
  return tail;
}

std::optional<InsideCall> LongestOpenCall(const TraceModel& model,
                                          const Process& process) {
  std::optional<InsideCall> longest;
  const int64_t last_seen_ns = LastSeenNs(process);
  for (const OpenCall& call : process.open_calls) {
    const int64_t ns = last_seen_ns - call.begin_ns;
    if (ns < 0 || (longest && longest->ns >= ns)) continue;
    longest = {model.entry_points[call.entry.value()].symbol, ns};
  }
  return longest;
}

std::map<std::string, uint64_t> UncomputedReadsOf(const TraceModel& model,
                                                  const Process& process) {
  std::map<std::string, uint64_t> reads;
  for (const Range& range : process.ranges) {
    if (!IsSimulationDomain(model.texts[range.domain])) continue;
    ++reads[std::string(model.texts[range.name])];
  }
  return reads;
}

bool ReadsArePlausible(const TraceModel& model, const Process& process) {
  return std::ranges::any_of(process.ranges, [&](const Range& range) {
    return model.texts[range.domain] == kPlausibleDomain;
  });
}

}  // namespace

ProcessSummary DescribeProcess(const TraceModel& model, const Process& process,
                               const EventTotals& totals) {
  ProcessSummary out;
  out.key = KeyOf(process);
  out.program = process.program;
  out.command = process.command;
  out.command_is_cut = process.command_is_cut;
  out.framework = process.framework;
  out.host_clock = process.host_clock;
  out.level = process.level;
  out.level_reason = process.level_reason;
  out.sites_reason = process.sites_reason;
  out.complete = process.complete;
  if (!process.complete) out.cut = TailOf(process);
  out.inside = LongestOpenCall(model, process);
  out.activities = totals.activities;
  for (const Loss& loss : process.losses) out.lost[loss.cause] += loss.count;
  out.uncomputed_reads = UncomputedReadsOf(model, process);
  out.reads_are_plausible = ReadsArePlausible(model, process);
  out.clock_residual_ns = process.clock_residual_ns;
  out.overhead_ns = OverheadOf(process, totals.calls);
  out.recorded_launches = totals.launches;
  out.cpu = CpuTimesOf(process);
  out.has_delays = !process.delays.empty();
  return out;
}

namespace {

void AddVisibleGpus(const Process& process, Summary& out) {
  for (const Device& device : process.devices) {
    if (device.uuid.empty()) continue;
    out.visible_gpus.insert(absl::StrCat(process.host, " ", device.uuid));
  }
}

}  // namespace

Summary DescribeTrace(const TraceModel& model, const Selection& selection) {
  Summary out;
  out.formats = {model.format};
  out.files = {model.files.begin(), model.files.end()};
  out.simulated = model.simulated;
  out.selection = selection;
  for (const Process& process : model.processes) {
    out.end_ns = std::max(out.end_ns, process.end_ns);
    AddVisibleGpus(process, out);
  }
  return out;
}

namespace {

// All but what needs the steps.
ProcessSummary Describe(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution) {
  ProcessSummary out =
      DescribeProcess(model, process,
                      {.calls = process.calls.size(),
                       .launches = process.launches.size(),
                       .activities = process.activities.size()});
  out.launches_without_kernel = attribution.launches_without_kernel.size();
  out.kernels_without_launch = attribution.kernels_without_launch.size();
  out.composite_ns = attribution.composite_ns;
  return out;
}

bool IsWholeRun(const Selection& selection) {
  return selection.whole_run || selection.window;
}

Steps StepsOf(const TraceModel& model, const Process& process,
              const ProcessAttribution& attribution,
              const Selection& selection) {
  if (IsWholeRun(selection)) return {};
  Steps steps = FindSteps(model, process, attribution);
  ChooseSteps(process, attribution, selection, steps);
  // Who names the steps wants them as they are.
  if (!selection.steps) LeaveOutDelayed(process, steps);
  return steps;
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

// What delays did to the whole run, whatever part of it was selected.
void AddDelays(const TraceModel& model, const Process& process,
               const ProcessAttribution& attribution, ProcessSummary& out) {
  if (process.delays.empty()) return;
  out.source_overhead_ns = SourceCostOf(model, process, attribution);
  if (process.devices.empty()) return;
  Steps steps = FindSteps(model, process, attribution);
  ChooseSteps(process, attribution, {}, steps);
  out.delays =
      DelayEffects(process, attribution, steps, BusiestDevice(process));
}

// The steps whose calls count: a part of the whole run is like one.
Steps CallSteps(const Steps& steps, const Selection& selection) {
  if (!selection.window) return steps;
  return {StepsFoundBy::kNone,
          {{selection.window->begin_ns, selection.window->end_ns}}};
}

void AddProcess(const TraceModel& model, const Attribution& attribution,
                size_t index, const Steps& steps, Summary& out) {
  const Process& process = model.processes[index];
  const ProcessAttribution& attributed = attribution.processes[index];
  ProcessSummary& summary =
      out.processes.emplace_back(Describe(model, process, attributed));
  summary.has_gpu_work = std::any_of(
      process.activities.begin(), process.activities.end(),
      [&](const Activity& activity) {
        return Selects(out.selection, process.devices[activity.device.value()]);
      });
  summary.steps = SummariseSteps(steps);
  AddDelays(model, process, attributed, summary);
  if (summary.has_gpu_work) AddLeftOutSteps(summary.steps, out.outside);
  TallyKeeper tallies(model, process, attributed, out.tallies);
  tallies.AddCalls(CallSteps(steps, out.selection));
}

struct Outputs {
  Summary& summary;
  Pictures* pictures;  // null: none are drawn
};

// The devices of all selected processes, and what their ranks do together.
void AddDevices(const TraceModel& model, const Attribution& attribution,
                const std::vector<Steps>& steps,
                const std::vector<ProcessLayers>& layers,
                const Outputs& outputs) {
  Summary& out = outputs.summary;
  CollectiveKeeper collectives(model, FindCollectives(model, attribution),
                               out.collectives);
  std::vector<RankDevice> ranks;
  std::vector<size_t> places;  // of their summaries
  const std::vector<PhysicalDevice> devices = PhysicalDevices(model);
  for (size_t i = 0; i < devices.size(); ++i) {
    const PhysicalDevice& device = devices[i];
    if (outputs.pictures != nullptr) {
      outputs.pictures->devices_left = devices.size() - i;
    }
    const size_t before = out.devices.size();
    std::vector<Interval> exposed;
    std::vector<StepWindow> windows;
    AddDevice(model, attribution, steps, layers, out.selection, device,
              {out.devices, out.outside, out.tallies, exposed, out.layers,
               windows, outputs.pictures});
    if (out.devices.size() == before) continue;
    DeviceSummary& added = out.devices.back();
    PhysicalDevice selected = device;
    std::erase_if(selected, [&](const DeviceMember& member) {
      return !Selects(out.selection, model.processes[member.process]);
    });
    added.comm_exposed =
        collectives.AddDevice(selected, added.windows, exposed);
    if (selected.size() != 1) continue;
    ranks.push_back({selected.front(), std::move(windows), nullptr});
    places.push_back(before);
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].summary = &out.devices[places[i]];
  }
  ReplayTogether(model, attribution, steps, out.selection, collectives.Parts(),
                 ranks);
}

}  // namespace

uint64_t StepSummary::found() const {
  return std::accumulate(by_use.begin(), by_use.end(), uint64_t{0});
}

bool Summary::has_delays() const {
  return std::any_of(
      processes.begin(), processes.end(),
      [](const ProcessSummary& process) { return process.has_delays; });
}

bool Summary::has_fixed_costs() const {
  return std::any_of(processes.begin(), processes.end(),
                     [](const ProcessSummary& process) {
                       return process.has_gpu_work &&
                              process.host_clock == HostClock::kFixedCosts;
                     });
}

void AddLeftOutSteps(const StepSummary& steps, Outside& outside) {
  for (size_t use = 0; use < kStepUses; ++use) {
    if (use == static_cast<size_t>(StepUse::kUsed)) continue;
    if (steps.by_use[use] == 0) continue;
    const std::string reason(Name(static_cast<StepUse>(use)));
    outside.left_out[reason].steps += steps.by_use[use];
    outside.left_out[reason].wall_ns += steps.wall_ns[use];
  }
}

Summary Merge(Summary a, const Summary& b) {
  a.formats.insert(b.formats.begin(), b.formats.end());
  a.files.insert(b.files.begin(), b.files.end());
  a.visible_gpus.insert(b.visible_gpus.begin(), b.visible_gpus.end());
  a.simulated = a.simulated || b.simulated;
  a.in_slices = a.in_slices || b.in_slices;
  a.selection = std::max(a.selection, b.selection);
  const auto join = [](auto& into, const auto& from) {
    const auto middle = static_cast<ptrdiff_t>(into.size());
    into.insert(into.end(), from.begin(), from.end());
    std::inplace_merge(into.begin(), into.begin() + middle, into.end());
  };
  join(a.processes, b.processes);
  join(a.devices, b.devices);
  a.outside.Add(b.outside);
  a.end_ns = std::max(a.end_ns, b.end_ns);
  a.tallies.Add(b.tallies);
  a.collectives.Add(b.collectives);
  a.memory.Add(b.memory);
  Add(a.layers, b.layers);
  return a;
}

Summary Summarise(const TraceModel& model, const Attribution& attribution,
                  const Selection& selection, Pictures* pictures) {
  Summary out = DescribeTrace(model, selection);
  std::vector<Steps> steps(model.processes.size());
  std::vector<ProcessLayers> layers(model.processes.size());
  for (size_t p = 0; p < model.processes.size(); ++p) {
    const Process& process = model.processes[p];
    if (!Selects(selection, process)) continue;
    steps[p] = StepsOf(model, process, attribution.processes[p], selection);
    layers[p] = FindLayers(model, process, attribution.processes[p], steps[p]);
    AddProcess(model, attribution, p, steps[p], out);
  }
  AddDevices(model, attribution, steps, layers, {out, pictures});
  out.memory = SummariseMemory(model, attribution, steps, selection);
  std::sort(out.processes.begin(), out.processes.end());
  std::sort(out.devices.begin(), out.devices.end());
  return out;
}

}  // namespace dltap::analyzer
