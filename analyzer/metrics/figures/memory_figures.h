// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_MEMORY_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_MEMORY_FIGURES_H_

#include <array>
#include <optional>
#include <vector>

#include "analyzer/metrics/memory/memory.h"

namespace dltap::analyzer {

// By how much more memory is held at the end of a used step than at the end of
// the one before.
struct MemoryGrowth {
  double step_bytes = 0;                            // mean
  std::optional<std::array<double, 2>> ci95_bytes;  // as that of step times
};

struct DeviceMemoryFigures {
  const DeviceMemory* sums;
  std::optional<double> peak_share;  // of what the device has
  // Of `sums->owners`: what is there in all, and what of it has a known owner;
  // nullopt where `sums->is_least`, and then what has none is not known either.
  std::optional<int64_t> owned_of_bytes;
  std::optional<double> owner_known_share;
  // Of tensors where they are known, else of what is held; nullopt: fewer than
  // two used steps.
  std::optional<MemoryGrowth> growth;
};

struct MemoryFigures {
  const MemorySummary* sums = nullptr;
  std::vector<DeviceMemoryFigures> devices;
};

// `summary` must outlive the result, which points into it.
MemoryFigures MemoryFiguresOf(const MemorySummary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_MEMORY_FIGURES_H_
