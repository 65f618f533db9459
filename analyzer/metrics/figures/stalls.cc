// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/stalls.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

// Not a stall: the warp issued.
constexpr std::string_view kSelected = "selected";

// Sums of a row; every mean is a ratio of two of them.
struct Sums {
  uint64_t launches = 0;
  double weight = 0;
  double weight_with_stalls = 0;
  double gpu_ns = 0;
  bool has_time = true;
  std::array<double, kStallGroups> weighted{};

  void Add(const Sums& other) {
    launches += other.launches;
    weight += other.weight;
    weight_with_stalls += other.weight_with_stalls;
    gpu_ns += other.gpu_ns;
    has_time &= other.has_time;
    for (size_t i = 0; i < kStallGroups; ++i) weighted[i] += other.weighted[i];
  }
};

double WeightOf(const KernelCounters& launch, StallWeight weigh_by) {
  switch (weigh_by) {
    case StallWeight::kCycles: return *launch.cycles;
    case StallWeight::kTime: return *launch.duration_ns;
    case StallWeight::kLaunches: break;
  }
  return 1;
}

Sums SumsOf(const KernelCounters& launch, StallWeight weigh_by) {
  Sums sums;
  sums.launches = 1;
  sums.weight = WeightOf(launch, weigh_by);
  sums.gpu_ns = launch.duration_ns.value_or(0);
  sums.has_time = launch.duration_ns.has_value();
  std::array<double, kStallGroups> stalls{};
  for (const auto& [reason, value] : launch.stalls) {
    if (reason == kSelected) continue;
    stalls[static_cast<size_t>(GroupOf(reason))] += value;
  }
  const double all = std::accumulate(stalls.begin(), stalls.end(), 0.0);
  if (!(all > 0)) return sums;
  sums.weight_with_stalls = sums.weight;
  for (size_t i = 0; i < kStallGroups; ++i) {
    sums.weighted[i] = sums.weight * stalls[i] / all;
  }
  return sums;
}

StallRow RowOf(std::string name, LayerClass layer_class, const Sums& sums,
               const Sums& all) {
  StallRow row;
  row.name = std::move(name);
  row.layer_class = layer_class;
  row.launches = sums.launches;
  if (sums.has_time) row.gpu_ns = sums.gpu_ns;
  row.weight_share = Ratio(sums.weight, all.weight);
  for (size_t i = 0; i < kStallGroups; ++i) {
    row.share[i] = Ratio(sums.weighted[i], sums.weight_with_stalls);
  }
  return row;
}

void SortByWeight(std::vector<StallRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const StallRow& a, const StallRow& b) {
                     return a.weight_share > b.weight_share;
                   });
}

// One unit for all launches: what each of them has.
StallWeight ChooseWeight(const CounterTable& table) {
  const auto all_have = [&table](std::optional<double> KernelCounters::*field) {
    return std::all_of(
        table.launches.begin(), table.launches.end(),
        [field](const KernelCounters& l) { return (l.*field).has_value(); });
  };
  if (all_have(&KernelCounters::cycles)) return StallWeight::kCycles;
  if (all_have(&KernelCounters::duration_ns)) return StallWeight::kTime;
  return StallWeight::kLaunches;
}

}  // namespace

std::string_view Name(StallGroup group) {
  constexpr std::string_view kNames[] = {
      "execution_dependency", "memory_dependency",
      "synchronization",      "pipe_busy",
      "instruction_fetch",    "other"};
  return kNames[static_cast<size_t>(group)];
}

std::string_view Name(StallWeight weight) {
  constexpr std::string_view kNames[] = {"cycles", "time", "launches"};
  return kNames[static_cast<size_t>(weight)];
}

StallGroup GroupOf(std::string_view reason) {
  struct Member {
    std::string_view reason;
    StallGroup group;
  };
  constexpr Member kMembers[] = {
      {"wait", StallGroup::kExecutionDependency},
      {"short_scoreboard", StallGroup::kExecutionDependency},
      {"long_scoreboard", StallGroup::kMemoryDependency},
      {"lg_throttle", StallGroup::kMemoryDependency},
      {"drain", StallGroup::kMemoryDependency},
      {"barrier", StallGroup::kSynchronization},
      {"membar", StallGroup::kSynchronization},
      {"math_pipe_throttle", StallGroup::kPipeBusy},
      {"mio_throttle", StallGroup::kPipeBusy},
      {"tex_throttle", StallGroup::kPipeBusy},
      {"no_instruction", StallGroup::kInstructionFetch},
      {"no_instructions", StallGroup::kInstructionFetch}};
  for (const Member& member : kMembers) {
    if (member.reason == reason) return member.group;
  }
  return StallGroup::kOther;
}

StallFigures StallsOf(const CounterTable& table) {
  const StallWeight weigh_by = ChooseWeight(table);
  Sums all;
  std::map<LayerClass, Sums> classes;
  std::map<std::pair<std::string, LayerClass>, Sums> kernels;
  StallFigures out;
  for (const KernelCounters& launch : table.launches) {
    const NameRule* rule = MatchKernelName(Demangle(launch.kernel));
    const LayerClass layer_class =
        rule == nullptr ? LayerClass::kUnattributed : rule->layer_class;
    const Sums sums = SumsOf(launch, weigh_by);
    all.Add(sums);
    classes[layer_class].Add(sums);
    kernels[{launch.kernel, layer_class}].Add(sums);
    out.without_stalls += sums.weight_with_stalls == 0;
    out.unclassified += rule == nullptr;
  }
  out.launches = table.launches.size();
  out.weight = weigh_by;
  out.total = RowOf("total", LayerClass::kUnattributed, all, all);
  for (const auto& [layer_class, sums] : classes) {
    out.classes.push_back(
        RowOf(std::string(Name(layer_class)), layer_class, sums, all));
  }
  for (const auto& [key, sums] : kernels) {
    out.kernels.push_back(RowOf(key.first, key.second, sums, all));
  }
  SortByWeight(out.classes);
  SortByWeight(out.kernels);
  return out;
}

}  // namespace dltap::analyzer
