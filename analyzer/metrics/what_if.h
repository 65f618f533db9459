// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WHAT_IF_H_
#define DLTAP_ANALYZER_METRICS_WHAT_IF_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/critical_path.h"
#include "analyzer/metrics/replay.h"
#include "analyzer/metrics/speedup.h"

// Steps in which something is faster. METRICS.md "What if".
namespace dltap::analyzer {

// The words beside the names of classes.
std::string KnownSpeedups();
// False: there is no such thing.
bool Apply(const Speedup& speedup, TimeFactors& factors);

// Sums over the windows that were replayed.
struct WhatIfSums {
  uint64_t windows = 0;
  int64_t measured_ns = 0;
  int64_t replayed_ns = 0;        // with nothing changed
  int64_t unsigned_error_ns = 0;  // of each device for itself
  // Of the replays with something changed: what they save, in ns.
  std::map<Scenario, int64_t> saved_ns;

  void Add(const WhatIfSums& other);

  auto operator<=>(const WhatIfSums&) const = default;
};

// One device's windows. Without scenarios: those that its path suggests, twice
// as fast and infinitely fast.
WhatIfSums WhatIf(const StepGraph& graph, const Process& process,
                  const ProcessAttribution& attribution, DeviceId device,
                  const std::vector<StepWindow>& windows, const PathSums& path,
                  const std::vector<Scenario>& scenarios);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WHAT_IF_H_
