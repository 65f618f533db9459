// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_GAPS_H_
#define DLTAP_ANALYZER_METRICS_GAPS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Why a device was idle; METRICS.md "Idle time", docs/design.md section 6.
enum class IdleCause : uint8_t {
  kSync,        // the host had waited for the device and could not run ahead
  kInput,       // the host prepared the input whose copy ends the gap
  kLibrary,     // inside a cuDNN, cuBLAS, NCCL call
  kLaunch,      // inside a plain launch, copy or graph launch
  kFramework,   // the host computed something else
  kBlocked,     // no submitting thread was on a CPU
  kUnknown,     // before the call, and no CPU samples tell what the host did
  kProfiler,    // our own measured cost
  kDependency,  // device: waited for an event, a stream or a host function
  kLatency,     // device: between submission and start
  kCount
};
inline constexpr size_t kIdleCauses = static_cast<size_t>(IdleCause::kCount);
std::string_view Name(IdleCause cause);
using IdleTimes = std::array<int64_t, kIdleCauses>;  // ns by cause
constexpr bool IsHostCause(IdleCause cause) {
  return cause < IdleCause::kDependency;
}

// All host causes but the profiler: what the program itself made the device
// wait.
int64_t HostNs(const IdleTimes& idle_ns);
int64_t SumOf(const IdleTimes& idle_ns);

// A maximal idle interval of a device inside a window.
struct Gap {
  Interval span;
  size_t ended_by;     // activity; kNoActivity: the window's end
  size_t window;       // into the windows
  bool between_steps;  // holds the first submission of a step
  IdleTimes ns{};      // sums to the span
};

// The gaps of `device`, in time. `windows` are those of StepWindows for the
// same steps. A gap whose call is not known is kUnknown; one that no activity
// ends (the last of a window) too.
std::vector<Gap> FindGaps(const TraceModel& model, const Process& process,
                          const ProcessAttribution& attribution,
                          const Steps& steps, DeviceId device,
                          const std::vector<StepWindow>& windows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_GAPS_H_
