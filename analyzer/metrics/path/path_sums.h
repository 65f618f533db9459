// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PATH_PATH_SUMS_H_
#define DLTAP_ANALYZER_METRICS_PATH_PATH_SUMS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>

#include "analyzer/metrics/base/speedup.h"
#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {

// What is on the critical path, as sums over windows: at each instant one
// thing. METRICS.md "Critical path".
struct PathSums {
  // Between the work of devices: the host by cause, and the device's waits.
  IdleTimes idle_ns{};
  PerClass<std::array<int64_t, kDirectionCount>> work_ns{};

  int64_t of(LayerClass layer_class) const;
  int64_t total_ns() const;
  void Add(const PathSums& other);

  auto operator<=>(const PathSums&) const = default;
};

// Steps that were replayed with something faster, as sums over the windows.
// METRICS.md "What if".
struct WhatIfSums {
  uint64_t windows = 0;
  int64_t measured_ns = 0;
  int64_t replayed_ns = 0;        // with nothing changed
  int64_t unsigned_error_ns = 0;  // of each device for itself
  std::map<Scenario, int64_t> saved_ns;

  void Add(const WhatIfSums& other);

  auto operator<=>(const WhatIfSums&) const = default;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PATH_PATH_SUMS_H_
