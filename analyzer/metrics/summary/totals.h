// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_TOTALS_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_TOTALS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// A summary's devices added up.
struct Totals {
  size_t devices = 0;
  size_t step_windows = 0;      // used steps, each device for itself
  int64_t wall_ns = 0;          // of the windows
  int64_t observed_ns = 0;      // the wall time that shares refer to
  int64_t longest_wall_ns = 0;  // of one device
  StateTimes state_ns{};
  CommTimes comm_exposed;      // sums to the state comm
  int64_t copy_hidden_ns = 0;  // copies and memsets beside other work
  PhaseTimes phases_ns{};
  PhaseParts parts;
  IdleTimes idle_ns{};  // of all gaps
  IdleTimes between_steps_ns{};
  DrainTimes drained_ns{};  // of all gaps
  DrainTimes between_steps_drained_ns{};
  std::map<std::string, int64_t> between_steps_unknown_in_ns;
  SeenFrames seen_frames;
  std::map<std::string, DrainSums> drained_by;  // by function
  int64_t host_work_ns = 0;                     // see FeedersWork
  int64_t host_work_wall_ns = 0;
  bool host_work_is_bound = false;
  uint64_t input_samples = 0;
  uint64_t input_runnable = 0;
  AvoidableWork avoidable;
  uint64_t cpu_samples = 0;  // of the main feeders, in the windows
  StepSigns signs;
  PerClass<ClassSummary> classes;
  ClassSummary all;  // the classes added up; busy_ns counts overlaps twice

  double in(DeviceState state) const {
    return static_cast<double>(state_ns[static_cast<size_t>(state)]);
  }
  // What "per step" divides by: the used steps over all devices; 1 when no
  // process has steps.
  double per_step() const;
  // The part of the observed time; nullopt when nothing was observed.
  std::optional<double> ShareOfTime(double ns) const;
};

Totals TotalsOf(const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_TOTALS_H_
