// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CRITICAL_PATH_H_
#define DLTAP_ANALYZER_METRICS_CRITICAL_PATH_H_

#include <array>
#include <compare>
#include <cstdint>

#include "analyzer/metrics/class_summary.h"
#include "analyzer/metrics/device_timeline.h"
#include "analyzer/metrics/gap.h"
#include "analyzer/metrics/step_graph.h"

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

// Of one device's windows: sums to their length.
PathSums CriticalPath(const StepGraph& graph, const Process& process,
                      const ProcessAttribution& attribution, DeviceId device,
                      const std::vector<StepWindow>& windows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CRITICAL_PATH_H_
