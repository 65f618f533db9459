// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/gap.h"

#include <numeric>

#include "analyzer/metrics/windows/device_timeline.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kNames[kIdleCauses] = {
    "wait",    "input",   "library",  "launch",     "framework", "preempted",
    "blocked", "unknown", "profiler", "dependency", "latency"};

}  // namespace

std::string_view Name(DrainedBy drained_by) {
  constexpr std::string_view kDrainNames[] = {"sync", "pageable", "none"};
  return kDrainNames[static_cast<size_t>(drained_by)];
}

std::string_view Name(IdleCause cause) {
  return kNames[static_cast<size_t>(cause)];
}

std::string_view Name(SeenIn seen_in) {
  constexpr std::string_view kSeenNames[] = {"input", "between_calls", "wait",
                                             "call"};
  return kSeenNames[static_cast<size_t>(seen_in)];
}

int64_t HostNs(const IdleTimes& idle_ns) {
  return std::accumulate(
      idle_ns.begin(),
      idle_ns.begin() + static_cast<size_t>(IdleCause::kProfiler), int64_t{0});
}

int64_t SumOf(const IdleTimes& idle_ns) {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), int64_t{0});
}

size_t ChargedTo(const ProcessAttribution& attribution, const Gap& gap) {
  if (gap.ended_by == kNoActivity) return kNoActivity;
  const ActivityId layer = attribution.activities[gap.ended_by].glue_of;
  return layer.known() ? layer.value() : gap.ended_by;
}

}  // namespace dltap::analyzer
