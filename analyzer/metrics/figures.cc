// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "analyzer/metrics/ratio.h"

namespace dltap::analyzer {
namespace {

void AddMean(StepFigures& steps) {
  if (steps.ns.empty()) return;
  const auto n = static_cast<double>(steps.ns.size());
  const double mean =
      std::accumulate(steps.ns.begin(), steps.ns.end(), 0.0) / n;
  double squares = 0;
  for (const int64_t ns : steps.ns) {
    const double off = static_cast<double>(ns) - mean;
    squares += off * off;
  }
  steps.mean_ns = mean;
  steps.stddev_ns = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
}

StepFigures StepsOf(const Summary& summary) {
  StepFigures steps;
  for (const ProcessSummary& process : summary.processes) {
    // A loader that only calls has steps of its own; they are not ours.
    if (process.devices.empty()) continue;
    if (process.steps.found_by == StepsFoundBy::kNone) {
      ++steps.processes_without;
      continue;
    }
    ++steps.processes;
    steps.found_by = std::max(steps.found_by, process.steps.found_by);
    steps.used += process.steps.used.size();
    steps.found += process.steps.found();
    for (size_t use = 0; use < kStepUses; ++use) {
      if (use == static_cast<size_t>(StepUse::kUsed)) continue;
      steps.left_out[use] += process.steps.by_use[use];
    }
    for (const DeviceSummary& device : process.devices) {
      for (const StepTime& step : device.steps) steps.ns.push_back(step.ns);
    }
  }
  AddMean(steps);
  return steps;
}

DeviceFigures FiguresOf(const ProcessSummary& process,
                        const DeviceSummary& device) {
  const auto observed = static_cast<double>(device.observed_ns());
  const auto share = [observed](int64_t ns) {
    return Ratio(static_cast<double>(ns), observed);
  };
  const int64_t own =
      device.idle_ns()[static_cast<size_t>(IdleCause::kProfiler)];
  return {.process = &process,
          .sums = &device,
          .utilization = device.utilization(),
          .comm_share = share(device.in(DeviceState::kComm)),
          .copy_share = share(device.in(DeviceState::kCopy)),
          .idle_share = share(device.in(DeviceState::kIdle)-own)};
}

SmallClasses SmallOnes(const std::vector<ClassRow>& rows,
                       const Totals& totals) {
  SmallClasses small;
  ClassSummary sums;
  for (const ClassRow& row : rows) {
    if (!row.small) continue;
    ++small.count;
    sums.Add(row.figures.sums);
  }
  small.figures = FiguresOf(sums, totals);
  return small;
}

std::vector<std::string> Distinct(const Summary& summary,
                                  std::string ProcessSummary::*text) {
  const bool any_gpu = std::any_of(
      summary.processes.begin(), summary.processes.end(),
      [](const ProcessSummary& process) { return !process.devices.empty(); });
  std::set<std::string> texts;
  for (const ProcessSummary& process : summary.processes) {
    if (any_gpu && process.devices.empty()) continue;
    if (!(process.*text).empty()) texts.insert(process.*text);
  }
  return {texts.begin(), texts.end()};
}

void AddIdleAndPhases(const Totals& totals, ProgramFigures& program) {
  const double steps = totals.per_step();
  program.idle_ns = SumOf(totals.idle_ns);
  program.idle_step_ns = static_cast<double>(program.idle_ns) / steps;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    program.idle_by_cause_step_ns[i] =
        static_cast<double>(totals.idle_ns[i]) / steps;
  }
  for (size_t i = 0; i < kPhaseCount; ++i) {
    program.phases_step_ns[i] =
        static_cast<double>(totals.phases_ns[i]) / steps;
  }
}

ProgramFigures ProgramOf(const Summary& summary, const Totals& totals) {
  ProgramFigures program;
  program.processes = summary.processes.size();
  program.names = Distinct(summary, &ProcessSummary::program);
  program.frameworks = Distinct(summary, &ProcessSummary::framework);
  for (const ProcessSummary& process : summary.processes) {
    for (const auto& device : process.devices) ++program.gpus[device.name];
  }
  program.per_step = totals.per_step();
  const double compute = totals.in(DeviceState::kCompute);
  program.utilization = totals.ShareOfTime(compute);
  program.comm_share = totals.ShareOfTime(totals.in(DeviceState::kComm));
  const auto host = static_cast<double>(HostNs(totals.idle_ns));
  program.cpu_dependency = Ratio(host, host + compute);
  if (totals.devices > 0) program.longest_wall_ns = totals.longest_wall_ns;
  AddIdleAndPhases(totals, program);
  program.total = FiguresOf(totals.all, totals);
  // Classes overlap; the program is busy while anything computes.
  program.total.utilization = program.utilization;
  program.total.cpu_dependency = program.cpu_dependency;
  return program;
}

// Processes of one host share its cores.
std::optional<double> CpuUtilizationOf(const Summary& summary) {
  struct Host {
    int64_t cpu_ns = 0;
    int64_t cores = 0;
    int64_t wall_ns = 0;
  };
  std::map<std::string, Host> hosts;
  for (const ProcessSummary& process : summary.processes) {
    if (!process.cpu) continue;
    Host& host = hosts[process.host];
    host.cpu_ns += process.cpu->cpu_ns;
    host.cores = std::max(host.cores, process.cpu->cores);
    host.wall_ns = std::max(host.wall_ns, process.cpu->wall_ns);
  }
  double used_ns = 0;
  double there_ns = 0;
  for (const auto& [name, host] : hosts) {
    used_ns += static_cast<double>(host.cpu_ns);
    there_ns +=
        static_cast<double>(host.cores) * static_cast<double>(host.wall_ns);
  }
  return Ratio(used_ns, there_ns);
}

void AddQueue(const Summary& summary, ProgramFigures& program) {
  QueueDepth all;
  for (const ProcessSummary& process : summary.processes) {
    for (const DeviceSummary& device : process.devices) {
      all.submissions += device.queue.submissions;
      all.unfinished += device.queue.unfinished;
      all.waiting += device.queue.waiting;
      all.empty += device.queue.empty;
    }
  }
  const auto share = [&](uint64_t n) {
    return Ratio(static_cast<double>(n), static_cast<double>(all.submissions));
  };
  program.queue_unfinished = share(all.unfinished);
  program.queue_waiting = share(all.waiting);
  program.queue_empty_share = share(all.empty);
}

void AddSensitivity(const Summary& summary, Figures& out) {
  std::vector<DelayEffect> effects;
  for (const ProcessSummary& process : summary.processes) {
    out.has_delays |= process.has_delays;
    effects.insert(effects.end(), process.delays.begin(), process.delays.end());
  }
  if (!out.has_delays) return;
  std::vector<LayerClass> seen;
  for (const ClassRow& row : out.classes) seen.push_back(row.layer_class);
  out.sensitivity = SensitivitiesOf(std::move(effects), seen);
}

// Equal rows keep the order of their names.
template <typename Row>
void SortByGpuTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.sums.gpu_ns > b.sums.gpu_ns;
  });
}

void AddTallies(const Tallies& tallies, double total_ns, Figures& out) {
  for (const auto& [name, sums] : tallies.apis) {
    out.apis.push_back({name, sums,
                        Ratio(static_cast<double>(sums.cpu_ns),
                              static_cast<double>(sums.calls))});
  }
  for (const auto& [key, sums] : tallies.kernels) {
    const auto gpu_ns = static_cast<double>(sums.gpu_ns);
    out.kernels.push_back({key.first, key.second, sums,
                           Ratio(gpu_ns, static_cast<double>(sums.count)),
                           Ratio(gpu_ns, total_ns)});
  }
  for (const auto& [key, sums] : tallies.ops) {
    const auto& [name, layer_class, direction] = key;
    out.ops.push_back({name, layer_class, direction, sums,
                       Ratio(static_cast<double>(sums.gpu_ns), total_ns),
                       sums.efficiency.tflops()});
  }
  std::stable_sort(out.apis.begin(), out.apis.end(),
                   [](const ApiRow& a, const ApiRow& b) {
                     return a.sums.cpu_ns > b.sums.cpu_ns;
                   });
  SortByGpuTime(out.kernels);
  SortByGpuTime(out.ops);
}

}  // namespace

Figures FiguresOf(const Summary& summary,
                  std::optional<double> samples_per_step) {
  Figures out;
  out.totals = TotalsOf(summary);
  out.program = ProgramOf(summary, out.totals);
  out.steps = StepsOf(summary);
  if (samples_per_step) {
    out.program.samples_per_s =
        Ratio(*samples_per_step, out.steps.mean_ns.value_or(0) * 1e-9);
  }
  for (const ProcessSummary& process : summary.processes) {
    for (const DeviceSummary& device : process.devices) {
      out.devices.push_back(FiguresOf(process, device));
    }
  }
  out.classes = ClassRows(out.totals);
  out.small_classes = SmallOnes(out.classes, out.totals);
  out.limits = FindLimits(out.totals, out.classes);
  AddTallies(summary.tallies, static_cast<double>(out.totals.all.gpu_ns), out);
  out.program.cpu_utilization = CpuUtilizationOf(summary);
  AddQueue(summary, out.program);
  AddSensitivity(summary, out);
  out.trust = TrustOf(summary, out.totals);
  return out;
}

}  // namespace dltap::analyzer
