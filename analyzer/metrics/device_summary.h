// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICE_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_DEVICE_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/attribution/attributed.h"
#include "analyzer/metrics/class_summary.h"
#include "analyzer/metrics/device_timeline.h"
#include "analyzer/metrics/phases.h"
#include "analyzer/metrics/queue_depth.h"
#include "analyzer/metrics/step_finder.h"
#include "analyzer/metrics/tallies.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a device did at the instants of its windows, in ns.
using StateTimes =
    std::array<int64_t, static_cast<size_t>(DeviceState::kCount)>;

// A used step as one device sees it.
struct StepTime {
  size_t step;  // into the process's steps
  int64_t ns;

  auto operator<=>(const StepTime&) const = default;
};

// One device as one process saw it, inside the windows of the used steps, or
// over the whole run when its process has no steps. Only sums.
struct DeviceSummary {
  int ordinal = 0;              // as the process numbers it
  std::string name;             // empty: unknown
  std::vector<StepTime> steps;  // one per window; empty: the whole run
  int64_t wall_ns = 0;          // of the windows
  StateTimes state_ns{};        // sums to wall_ns
  PhaseTimes phases_ns{};       // sums to wall_ns
  IdleTimes between_steps_ns{};
  PerClass<ClassSummary> classes;
  QueueDepth queue;

  int64_t in(DeviceState state) const {
    return state_ns[static_cast<size_t>(state)];
  }
  // Compute, exposed communication and exposed copies.
  int64_t busy_ns() const;
  // All gaps: those of the classes and those between steps.
  IdleTimes idle_ns() const;
  // What the program had of the wall time: without the spans that were not
  // observed, and without our own cost.
  int64_t observed_ns() const;
  // compute / observed; nullopt: nothing was observed.
  std::optional<double> utilization() const;

  auto operator<=>(const DeviceSummary&) const = default;
};

// Sums up what `device` did and adds its activities to `tallies`. nullopt when
// it has no window: no activity, or none inside a used step.
std::optional<DeviceSummary> SummariseDevice(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    TallyKeeper& tallies);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICE_SUMMARY_H_
