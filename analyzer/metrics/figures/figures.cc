// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/figures.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/figures/straggler.h"

namespace dltap::analyzer {
namespace {

// So many samples tell a share to about 15 %.
constexpr uint64_t kEnoughSamples = 10;

constexpr double kTrace = 0.01;  // of the GPU time

DeviceFigures FiguresOf(const DeviceSummary& device) {
  const auto observed = static_cast<double>(device.observed_ns());
  const auto share = [observed](int64_t ns) {
    return Ratio(static_cast<double>(ns), observed);
  };
  const int64_t own =
      device.idle_ns()[static_cast<size_t>(IdleCause::kProfiler)];
  std::vector<SharedUse> shared;
  for (const auto& [process, use] : device.uses) {
    shared.push_back({process, share(use.busy_ns), share(use.others_ns)});
  }
  return {.sums = &device,
          .utilization = device.utilization(),
          .comm_share = share(device.in(DeviceState::kComm)),
          .copy_share = share(device.in(DeviceState::kCopy)),
          .idle_share = share(device.in(DeviceState::kIdle)-own),
          .shared = std::move(shared)};
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
      [](const ProcessSummary& process) { return process.has_gpu_work; });
  std::set<std::string> texts;
  for (const ProcessSummary& process : summary.processes) {
    if (any_gpu && !process.has_gpu_work) continue;
    if (!(process.*text).empty()) texts.insert(process.*text);
  }
  return {texts.begin(), texts.end()};
}

std::map<std::string, GpuCount> GpusOf(const Summary& summary) {
  std::map<std::string, GpuCount> gpus;
  std::map<std::string, std::set<ProcessKey>> users;
  for (const DeviceSummary& device : summary.devices) {
    ++gpus[device.name].devices;
    users[device.name].insert(device.processes.begin(), device.processes.end());
  }
  for (auto& [name, gpu] : gpus) gpu.processes = users[name].size();
  return gpus;
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

void AddParts(const Totals& totals, ProgramFigures& program) {
  const double steps = totals.per_step();
  const auto add = [&](size_t phase, std::optional<LayerClass> layer_class,
                       std::optional<IdleCause> cause, int64_t ns) {
    if (ns == 0) return;
    program.parts.push_back({static_cast<Phase>(phase), layer_class, cause,
                             static_cast<double>(ns) / steps});
  };
  const PhaseParts& parts = totals.parts;
  for (size_t p = 0; p < kPhaseCount; ++p) {
    for (size_t c = 0; c < kClassCount; ++c) {
      add(p, static_cast<LayerClass>(c), {}, parts.busy_ns[p][c]);
    }
    for (size_t i = 0; i < kIdleCauses; ++i) {
      add(p, {}, static_cast<IdleCause>(i), parts.idle_ns[p][i]);
    }
  }
  add(static_cast<size_t>(Phase::kOther), {}, {}, parts.not_observed_ns);
}

void AddDrains(const Totals& totals, ProgramFigures& program) {
  const double steps = totals.per_step();
  for (const auto kind : {DrainedBy::kSync, DrainedBy::kPageable}) {
    program.drained_step_ns +=
        static_cast<double>(totals.drained_ns[static_cast<size_t>(kind)]) /
        steps;
  }
  for (const auto& [name, sums] : totals.drained_by) {
    program.drained_by.push_back({name, sums,
                                  static_cast<double>(sums.calls) / steps,
                                  static_cast<double>(sums.host_ns) / steps});
  }
  std::stable_sort(program.drained_by.begin(), program.drained_by.end(),
                   [](const DrainRow& a, const DrainRow& b) {
                     return a.sums.host_ns > b.sums.host_ns;
                   });
}

// Without waits the longer of the two works decides: a step can lose no more
// than they overlap, and no more than it has.
void AddWork(const Totals& totals, ProgramFigures& program) {
  if (totals.devices == 0) return;
  const double steps = totals.per_step();
  const double wall = static_cast<double>(totals.wall_ns) / steps;
  const double device =
      (totals.in(DeviceState::kCompute) + totals.in(DeviceState::kComm) +
       totals.in(DeviceState::kCopy)) /
      steps;
  program.device_work_ns = device;
  if (totals.input_samples >= kEnoughSamples) {
    program.input_runnable_share =
        Ratio(static_cast<double>(totals.input_runnable),
              static_cast<double>(totals.input_samples));
  }
  const auto share = Ratio(static_cast<double>(totals.host_work_ns),
                           static_cast<double>(totals.host_work_wall_ns));
  if (!share) return;
  const double host = *share * wall;
  program.host_work_ns = host;
  program.host_work_is_bound = totals.host_work_is_bound;
  if (program.drained_step_ns <= 0) {
    program.wait_gain_ns = 0;
    return;
  }
  program.wait_gain_ns =
      std::clamp(wall - std::max(host, device), 0.0, std::min(host, device));
}

void AddUnknown(const std::map<std::string, int64_t>& names,
                std::optional<LayerClass> layer_class, double steps,
                ProgramFigures& program) {
  constexpr size_t kMostRows = 5;
  constexpr double kSmallShare = 0.01;
  std::vector<UnknownRow> rows;
  for (const auto& [name, ns] : names) {
    const double step_ns = static_cast<double>(ns) / steps;
    rows.push_back({layer_class, name, ns, step_ns,
                    step_ns < kSmallShare * program.idle_step_ns});
  }
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const UnknownRow& a, const UnknownRow& b) { return a.ns > b.ns; });
  rows.resize(std::min(rows.size(), kMostRows));
  program.unknown_in.insert(program.unknown_in.end(), rows.begin(), rows.end());
}

// The idle time that looks in a state stand for.
int64_t IdleIn(SeenIn in, const IdleTimes& idle_ns) {
  const auto at = [&](IdleCause cause) {
    return idle_ns[static_cast<size_t>(cause)];
  };
  switch (in) {
    case SeenIn::kInput: return at(IdleCause::kInput);
    case SeenIn::kWait: return at(IdleCause::kWait);
    case SeenIn::kCall: return at(IdleCause::kLibrary) + at(IdleCause::kLaunch);
    default:
      return at(IdleCause::kFramework) + at(IdleCause::kPreempted) +
             at(IdleCause::kBlocked) + at(IdleCause::kUnknown);
  }
}

void AddSeen(const Totals& totals, ProgramFigures& program) {
  constexpr size_t kMostRows = 5;
  constexpr double kSmallShare = 0.01;
  constexpr uint64_t kFewLooks = 3;
  for (size_t i = 0; i < kSeenIn; ++i) {
    const auto in = static_cast<SeenIn>(i);
    const uint64_t all = totals.seen_frames.all[i];
    const double idle_ns =
        static_cast<double>(IdleIn(in, totals.idle_ns)) / totals.per_step();
    std::vector<SeenRow> rows;
    for (const auto& [name, looks] : totals.seen_frames.by_name[i]) {
      const double step_ns =
          idle_ns * static_cast<double>(looks) / static_cast<double>(all);
      const bool small =
          looks < kFewLooks || step_ns < kSmallShare * program.idle_step_ns;
      rows.push_back({in, name, looks, all, step_ns, small});
    }
    std::ranges::stable_sort(rows, std::ranges::greater(), &SeenRow::looks);
    rows.resize(std::min(rows.size(), kMostRows));
    program.seen_in.insert(program.seen_in.end(), rows.begin(), rows.end());
  }
}

SignFigures FiguresOf(const SignSums& sums, const Totals& totals) {
  const double steps = totals.per_step();
  const auto ns = static_cast<double>(sums.ns);
  const auto bytes = static_cast<double>(sums.bytes);
  const bool is_copy = sums.bytes > 0;
  return {.count = static_cast<double>(sums.count) / steps,
          .ns = ns / steps,
          .bytes = bytes / steps,
          .gbs = is_copy ? Ratio(bytes, ns) : std::nullopt,
          .share = totals.ShareOfTime(
              is_copy ? static_cast<double>(sums.exposed_ns) : ns)};
}

ProgramFigures ProgramOf(const Summary& summary, const Totals& totals) {
  ProgramFigures program;
  program.processes = summary.processes.size();
  program.names = Distinct(summary, &ProcessSummary::program);
  program.frameworks = Distinct(summary, &ProcessSummary::framework);
  program.gpus = GpusOf(summary);
  program.per_step = totals.per_step();
  const double compute = totals.in(DeviceState::kCompute);
  program.utilization = totals.ShareOfTime(compute);
  program.comm_share = totals.ShareOfTime(totals.in(DeviceState::kComm));
  const auto host = static_cast<double>(HostNs(totals.idle_ns));
  program.cpu_dependency = Ratio(host, host + compute);
  if (totals.devices > 0) program.longest_wall_ns = totals.longest_wall_ns;
  AddIdleAndPhases(totals, program);
  AddParts(totals, program);
  AddDrains(totals, program);
  AddWork(totals, program);
  for (size_t c = 0; c < kClassCount; ++c) {
    AddUnknown(totals.classes[c].unknown_in_ns, static_cast<LayerClass>(c),
               totals.per_step(), program);
  }
  AddUnknown(totals.between_steps_unknown_in_ns, std::nullopt,
             totals.per_step(), program);
  AddSeen(totals, program);
  for (size_t i = 0; i < kSigns; ++i) {
    program.signs[i] = FiguresOf(totals.signs.sums[i], totals);
  }
  program.has_fixed_costs = summary.has_fixed_costs();
  program.total = FiguresOf(totals.all, totals);
  program.computes_in_fp64 = program.total.fp64_share.value_or(0) > kTrace;
  // Communication computes nothing that could be known.
  ClassSummary computing = totals.all;
  computing.gpu_ns -=
      totals.classes[static_cast<size_t>(LayerClass::kComm)].gpu_ns;
  const ClassFigures rates = FiguresOf(computing, totals);
  program.total.tflops = rates.tflops;
  program.total.executed_tflops = rates.executed_tflops;
  program.total.of_peak = rates.of_peak;
  // Classes overlap; the program is busy while anything computes.
  program.total.utilization = program.utilization;
  program.total.cpu_dependency = program.cpu_dependency;
  return program;
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
  for (const auto& [key, sums] : tallies.sites) {
    out.sites.push_back({key.first, key.second, sums,
                         Ratio(static_cast<double>(sums.gpu_ns), total_ns)});
  }
  std::stable_sort(out.apis.begin(), out.apis.end(),
                   [](const ApiRow& a, const ApiRow& b) {
                     return a.sums.cpu_ns > b.sums.cpu_ns;
                   });
  SortByGpuTime(out.kernels);
  SortByGpuTime(out.ops);
  SortByGpuTime(out.sites);
}

}  // namespace

Figures FiguresOf(const Summary& summary,
                  std::optional<double> samples_per_step) {
  Figures out;
  out.totals = TotalsOf(summary);
  out.program = ProgramOf(summary, out.totals);
  std::set<std::string> reasons;
  for (const ProcessSummary& process : summary.processes) {
    if (!process.sites_reason.empty()) reasons.insert(process.sites_reason);
  }
  out.site_reasons.assign(reasons.begin(), reasons.end());
  out.steps = StepsOf(summary);
  if (samples_per_step) {
    out.program.samples_per_s =
        Ratio(*samples_per_step, out.steps.mean_ns.value_or(0) * 1e-9);
  }
  for (const DeviceSummary& device : summary.devices) {
    out.devices.push_back(FiguresOf(device));
  }
  out.classes = ClassRows(out.totals);
  AddExposures(out.totals, out.classes);
  out.program.exposures = ExposuresOf(out.totals);
  out.small_classes = SmallOnes(out.classes, out.totals);
  out.collectives = CollectiveFiguresOf(summary.collectives);
  out.limits = FindLimits({.totals = out.totals,
                           .rows = out.classes,
                           .path = PathOf(summary),
                           .wait_gain_ns = out.program.wait_gain_ns,
                           .straggler = StragglerOf(out.collectives)});
  ExplainStraggler(summary, out.limits);
  AddTallies(summary.tallies, static_cast<double>(out.totals.all.gpu_ns), out);
  out.program.host = HostFiguresOf(summary);
  out.has_delays = summary.has_delays();
  out.sensitivity = SensitivityRows(summary, out.classes);
  out.layers = LayerTablesOf(summary.layers, out.totals);
  out.roofline = RooflineRows(out.classes, summary.tallies);
  out.long_and_low = FindLongAndLow(summary.tallies);
  out.evidence_conflicts = ConflictRows(summary.tallies, out.totals);
  out.memory = MemoryFiguresOf(summary.memory);
  out.path = PathFiguresOf(summary);
  out.trust = TrustOf(summary, out.totals);
  out.coverage = CoverageOf(summary, out.totals);
  out.warnings =
      FindWarnings(summary, out.totals, out.steps, out.coverage, out.trust);
  return out;
}

}  // namespace dltap::analyzer
