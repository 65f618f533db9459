// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_ORDER_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_ORDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

// What the devices' work had to wait for, as the calls of the trace say it:
// streams, events, graphs; and what the host's waits waited for.
namespace dltap::analyzer {

// An index into Process::activities.
inline constexpr uint32_t kNoWork = static_cast<uint32_t>(-1);

// `work` could not begin before `on` was over.
struct Dependency {
  uint32_t work;
  uint32_t on;

  auto operator<=>(const Dependency&) const = default;
};

// A call that returned after `on` was over, because of it.
struct WaitTarget {
  CallId call;
  uint32_t on;
};

struct DeviceOrder {
  std::vector<int64_t> submitted_ns;     // of each activity; INT64_MAX: unknown
  std::vector<Dependency> dependencies;  // by work
  std::vector<WaitTarget> targets;       // by call's begin
};

DeviceOrder OrderOf(const TraceModel& model, const Process& process,
                    const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_DEVICE_ORDER_H_
