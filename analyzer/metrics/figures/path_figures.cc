// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/path_figures.h"

#include <algorithm>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/metrics/summary/totals.h"

namespace dltap::analyzer {
namespace {

// A replay that is further off says nothing.
constexpr double kMostError = 0.05;

PathRow RowOf(LayerClass layer_class, const PathSums& path, double per_step) {
  const auto& ns = path.work_ns[static_cast<size_t>(layer_class)];
  PathRow row{.name = std::string(Name(layer_class)),
              .is_class = true,
              .step_ns = static_cast<double>(path.of(layer_class)) / per_step};
  for (size_t d = 0; d < kDirectionCount; ++d) {
    const double step_ns = static_cast<double>(ns[d]) / per_step;
    const auto direction = static_cast<Direction>(d);
    if (direction == Direction::kForward) row.forward_step_ns += step_ns;
    if (IsBackward(direction)) row.backward_step_ns += step_ns;
    if (direction == Direction::kUpdate) row.update_step_ns += step_ns;
  }
  return row;
}

std::vector<PathRow> RowsOf(const PathSums& path, double per_step) {
  std::vector<PathRow> rows;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    rows.push_back(
        {.name = std::string(Name(static_cast<IdleCause>(i))),
         .step_ns = static_cast<double>(path.idle_ns[i]) / per_step});
  }
  for (size_t i = 0; i < kClassCount; ++i) {
    rows.push_back(RowOf(static_cast<LayerClass>(i), path, per_step));
  }
  std::erase_if(rows, [](const PathRow& row) { return row.step_ns == 0; });
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const PathRow& a, const PathRow& b) { return a.step_ns > b.step_ns; });
  return rows;
}

}  // namespace

PathSums PathOf(const Summary& summary) {
  PathSums path;
  for (const DeviceSummary& device : summary.devices) path.Add(device.path);
  return path;
}

PathFigures PathFiguresOf(const Summary& summary) {
  const PathSums path = PathOf(summary);
  WhatIfSums sums;
  size_t windows = 0;
  for (const DeviceSummary& device : summary.devices) {
    sums.Add(device.what_if);
    windows += device.steps.size();
  }
  const double per_step = windows == 0 ? 1 : static_cast<double>(windows);
  PathFigures out;
  out.rows = RowsOf(path, per_step);
  out.step_ns = static_cast<double>(path.total_ns()) / per_step;
  for (PathRow& row : out.rows) row.share = Ratio(row.step_ns, out.step_ns);
  out.replayed_windows = sums.windows;
  const auto measured = static_cast<double>(sums.measured_ns);
  out.replay_error =
      Ratio(static_cast<double>(sums.unsigned_error_ns), measured);
  out.trusted = out.replay_error && *out.replay_error <= kMostError;
  if (!out.trusted) return out;
  for (const auto& [scenario, saved_ns] : sums.saved_ns) {
    const double change = std::max(
        -1.0, Ratio(-static_cast<double>(saved_ns), measured).value_or(0));
    out.what_if.push_back({scenario, out.step_ns * (1 + change), change});
  }
  std::stable_sort(out.what_if.begin(), out.what_if.end(),
                   [](const WhatIfRow& a, const WhatIfRow& b) {
                     return a.change < b.change;
                   });
  return out;
}

}  // namespace dltap::analyzer
