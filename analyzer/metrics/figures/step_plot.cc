// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/step_plot.h"

#include <algorithm>
#include <map>
#include <optional>

namespace dltap::analyzer {
namespace {

using UsedSteps = std::map<size_t, int64_t>;  // ns by number

uint64_t FoundBy(const Summary& summary, const ProcessKey& key) {
  for (const ProcessSummary& process : summary.processes) {
    if (process.key == key) return process.steps.found();
  }
  return 0;
}

// The slowest used step of those from `first` on.
std::optional<int64_t> Slowest(const UsedSteps& used, size_t first,
                               size_t count) {
  std::optional<int64_t> slowest;
  for (auto it = used.lower_bound(first);
       it != used.end() && it->first < first + count; ++it) {
    slowest = std::max(slowest.value_or(it->second), it->second);
  }
  return slowest;
}

size_t LevelOf(double ns, const StepPlot& plot) {
  const double range = plot.high_ns - plot.low_ns;
  if (range <= 0) return StepPlot::kLevels - 1;
  const double level = (ns - plot.low_ns) / range * StepPlot::kLevels;
  return std::min(static_cast<size_t>(std::max(level, 0.0)),
                  StepPlot::kLevels - 1);
}

StepPlot PlotOf(const UsedSteps& used, size_t found, size_t columns) {
  constexpr double kLowOfSlowest = 0.8;
  StepPlot plot;
  plot.found = std::max(found, used.rbegin()->first + 1);
  plot.used = used.size();
  const auto [fastest, slowest] = std::minmax_element(
      used.begin(), used.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  plot.high_ns = static_cast<double>(slowest->second);
  plot.low_ns = std::min(static_cast<double>(fastest->second),
                         kLowOfSlowest * plot.high_ns);
  plot.steps_per_column = (plot.found + columns - 1) / columns;
  for (size_t first = 0; first < plot.found; first += plot.steps_per_column) {
    const auto ns = Slowest(used, first, plot.steps_per_column);
    plot.columns.push_back(
        {.is_left_out = !ns,
         .level = ns ? LevelOf(static_cast<double>(*ns), plot) : 0});
  }
  return plot;
}

}  // namespace

std::vector<StepPlot> StepPlots(const Summary& summary,
                                const DeviceSummary& device, size_t columns) {
  std::map<size_t, UsedSteps> by_process;
  for (const StepTime& step : device.steps) {
    by_process[step.process][step.step] = step.ns;
  }
  std::vector<StepPlot> plots;
  for (const auto& [process, used] : by_process) {
    StepPlot& plot = plots.emplace_back(
        PlotOf(used, FoundBy(summary, device.processes[process]),
               std::max<size_t>(1, columns)));
    plot.process = process;
  }
  return plots;
}

}  // namespace dltap::analyzer
