// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/step_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyzer/metrics/base/mean_interval.h"

namespace dltap::analyzer {
namespace {

constexpr double kOften = 0.1;  // of the used steps

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
  if (n > 1) steps.stddev_ns = std::sqrt(squares / (n - 1));
}

void AddProcess(const ProcessSummary& process, StepFigures& steps) {
  // A loader that only calls has steps of its own; they are not ours.
  if (!process.has_gpu_work) return;
  const std::vector<uint64_t>& at_once = process.steps.threads_at_once;
  steps.threads_at_once.insert(steps.threads_at_once.end(), at_once.begin(),
                               at_once.end());
  if (process.steps.found_by == StepsFoundBy::kNone) {
    ++steps.processes_without;
    return;
  }
  ++steps.processes;
  steps.found_by = std::max(steps.found_by, process.steps.found_by);
  steps.used += process.steps.used.size();
  steps.with_module_loads += process.steps.with_module_loads;
  const uint64_t found = process.steps.found();
  steps.found += found;
  steps.other_count =
      steps.other_count.value_or(0) +
      (process.steps.other_count > 0 ? process.steps.other_count : found);
  if (process.key.rank) {
    steps.fewest_of_a_rank =
        std::min(steps.fewest_of_a_rank.value_or(found), found);
    steps.most_of_a_rank = std::max(steps.most_of_a_rank, found);
  }
  for (size_t use = 0; use < kStepUses; ++use) {
    steps.wall_ns[use] += process.steps.wall_ns[use];
    if (use == static_cast<size_t>(StepUse::kUsed)) continue;
    steps.left_out[use] += process.steps.by_use[use];
  }
}

// The step times of one device, a series for each process.
std::vector<std::vector<int64_t>> SeriesOf(const DeviceSummary& device) {
  std::vector<std::vector<int64_t>> series(device.processes.size());
  for (const StepTime& step : device.steps) {
    series[step.process].push_back(step.ns);
  }
  return series;
}

}  // namespace

double StepFigures::wall_ns_of(StepUse use) const {
  if (processes == 0) return 0;
  return static_cast<double>(wall_ns[static_cast<size_t>(use)]) /
         static_cast<double>(processes);
}

StepFigures StepsOf(const Summary& summary) {
  StepFigures steps;
  for (const ProcessSummary& process : summary.processes) {
    AddProcess(process, steps);
  }
  std::vector<std::vector<int64_t>> series;
  for (const DeviceSummary& device : summary.devices) {
    for (std::vector<int64_t>& values : SeriesOf(device)) {
      steps.ns.insert(steps.ns.end(), values.begin(), values.end());
      series.push_back(std::move(values));
    }
  }
  if (steps.other_count == steps.found) steps.other_count.reset();
  steps.loads_modules_often = static_cast<double>(steps.with_module_loads) >
                              kOften * static_cast<double>(steps.used);
  AddMean(steps);
  steps.ci95_ns = MeanInterval(series);
  // Of a few steps of which one was slow it may reach below nothing.
  if (steps.ci95_ns) (*steps.ci95_ns)[0] = std::max(0.0, (*steps.ci95_ns)[0]);
  return steps;
}

}  // namespace dltap::analyzer
