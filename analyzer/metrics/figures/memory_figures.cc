// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/memory_figures.h"

#include <numeric>

#include "analyzer/metrics/base/mean_interval.h"
#include "analyzer/metrics/base/ratio.h"

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
    DeviceMemoryFigures& figures = out.devices.emplace_back();
    figures.sums = &device;
    figures.peak_share = Ratio(static_cast<double>(device.held.peak_bytes),
                               static_cast<double>(device.capacity_bytes));
    figures.growth = GrowthOf(device.tensors.value_or(device.held));
    if (!device.owners) continue;
    // Of what nobody knows all of there is no share.
    if (device.is_least) continue;
    const OwnedBytes& bytes = device.owners->bytes;
    const int64_t all = std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
    figures.owned_of_bytes = all;
    figures.owner_known_share =
        Ratio(static_cast<double>(
                  all - bytes[static_cast<size_t>(MemoryOwner::kUnknown)]),
              static_cast<double>(all));
  }
  return out;
}

}  // namespace dltap::analyzer
