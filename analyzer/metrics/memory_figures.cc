// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory_figures.h"

#include <numeric>

#include "analyzer/metrics/mean_interval.h"
#include "analyzer/metrics/ratio.h"

namespace dltap::analyzer {
namespace {

// Per step of one process, added up over the processes.
std::optional<MemoryGrowth> GrowthOf(const MemoryLevel& level) {
  std::vector<std::vector<int64_t>> changes;
  double step_bytes = 0;
  for (const std::vector<int64_t>& ends : level.step_ends_bytes) {
    if (ends.size() < 2) continue;
    auto& series = changes.emplace_back(ends.size());
    std::adjacent_difference(ends.begin(), ends.end(), series.begin());
    series.erase(series.begin());
    step_bytes += static_cast<double>(ends.back() - ends.front()) /
                  static_cast<double>(series.size());
  }
  if (changes.empty()) return std::nullopt;
  MemoryGrowth growth{step_bytes, std::nullopt};
  if (changes.size() == 1) growth.ci95_bytes = MeanInterval(changes);
  return growth;
}

}  // namespace

MemoryFigures MemoryFiguresOf(const MemorySummary& summary) {
  MemoryFigures out{&summary, {}};
  for (const DeviceMemory& device : summary.devices) {
    out.devices.push_back(
        {.sums = &device,
         .peak_share = Ratio(static_cast<double>(device.held.peak_bytes),
                             static_cast<double>(device.capacity_bytes)),
         .growth = GrowthOf(device.tensors.value_or(device.held))});
  }
  return out;
}

}  // namespace dltap::analyzer
