// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_DEVICE_SUMMARY_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_DEVICE_SUMMARY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/classes/class_summary.h"
#include "analyzer/metrics/classes/tallies.h"
#include "analyzer/metrics/classes/work_counts.h"
#include "analyzer/metrics/devices/comm_times.h"
#include "analyzer/metrics/devices/step_series.h"
#include "analyzer/metrics/devices/step_signs.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/metrics/idle/seen_frames.h"
#include "analyzer/metrics/layers/layer_summary.h"
#include "analyzer/metrics/layers/layer_tree.h"
#include "analyzer/metrics/path/path_sums.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/queue_depth.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a device did at the instants of its windows, in ns.
using StateTimes =
    std::array<int64_t, static_cast<size_t>(DeviceState::kCount)>;

// What tells processes apart, in the order in which they stand.
struct ProcessKey {
  std::optional<int> rank;  // none comes before 0
  std::string host;
  int64_t pid = 0;

  auto operator<=>(const ProcessKey&) const = default;
};

ProcessKey KeyOf(const Process& process);

// A used step as one device sees it.
struct StepTime {
  size_t process;  // into DeviceSummary::processes
  size_t step;     // into that process's steps
  int64_t ns;

  auto operator<=>(const StepTime&) const = default;
};

// What one of several processes has of a device.
struct DeviceUse {
  int64_t busy_ns = 0;    // union of its activities
  int64_t others_ns = 0;  // instants at which only others work

  auto operator<=>(const DeviceUse&) const = default;
};

// What emptied the queue of a device, by the function that did.
struct DrainSums {
  uint64_t calls = 0;
  int64_t host_ns = 0;  // of the gaps that followed

  auto operator<=>(const DrainSums&) const = default;
};

// One physical device inside the windows of the used steps, or over the whole
// run when no process has steps: what all its processes together did. Only
// sums.
struct DeviceSummary {
  std::vector<ProcessKey> processes;     // with work on it, ascending
  std::map<ProcessKey, DeviceUse> uses;  // empty: one process
  int ordinal = 0;                       // as the first of them numbers it
  std::string name;                      // empty: unknown
  std::string uuid;                      // empty: unknown
  std::vector<StepTime> steps;    // one per step window; empty: the whole run
  std::vector<Interval> windows;  // disjoint, in time
  int64_t wall_ns = 0;            // of the windows
  StateTimes state_ns{};          // sums to wall_ns
  CommTimes comm_exposed;         // sums to the state comm
  int64_t copy_hidden_ns = 0;     // copies and memsets beside other work
  PhaseTimes phases_ns{};         // sums to wall_ns, as the next
  PhaseParts parts;
  IdleTimes between_steps_ns{};
  DrainTimes between_steps_drained_ns{};
  std::map<std::string, int64_t> between_steps_unknown_in_ns;
  std::map<std::string, DrainSums> drained_by;  // by function
  SeenFrames seen_frames;
  int64_t host_work_ns = 0;  // see FeedersWork
  int64_t host_work_wall_ns = 0;
  bool host_work_is_bound = false;
  uint64_t input_samples = 0;
  uint64_t input_runnable = 0;
  uint64_t cpu_samples = 0;  // of the main feeders, in the windows
  StepSigns signs;
  PerClass<ClassSummary> classes;
  AvoidableWork avoidable;
  WorkCounts counts;
  StepSeries series;  // of the windows
  QueueDepth queue;
  PathSums path;  // sums to wall_ns
  WhatIfSums what_if;

  int64_t in(DeviceState state) const {
    return state_ns[static_cast<size_t>(state)];
  }
  // Compute, exposed communication and exposed copies.
  int64_t busy_ns() const;
  // Communication while something computes.
  int64_t comm_hidden_ns() const;
  // All gaps: those of the classes and those between steps.
  IdleTimes idle_ns() const;
  // What the program had of the wall time: without the spans that were not
  // observed, and without our own cost.
  int64_t observed_ns() const;
  // compute / observed; nullopt: nothing was observed.
  std::optional<double> utilization() const;

  // The sums of a later part of the run of the same device.
  void Append(const DeviceSummary& later);
  // Makes windows that follow each other, parts of one, that one.
  void JoinWindows();

  auto operator<=>(const DeviceSummary&) const = default;
};

// A device with the process, or the united ones, that put work on it.
struct DeviceView {
  const Process& process;
  const ProcessAttribution& attribution;
  const Steps& steps;
  DeviceId device;
  const std::vector<StepWindow>& windows;  // one at least
  const std::vector<Scenario>* scenarios;  // see Selection; null: no what-if
  // Of a part of a run: windows that were summed up before, in time.
  std::vector<StepWindow> earlier = {};
};

// What a device's activities are added to.
struct DeviceKeepers {
  TallyKeeper& tallies;
  LayerKeeper* layers;    // null: nobody asks for them
  LayerTreeKeeper* tree;  // likewise
};

// Sums up what the device did inside the windows, and adds its activities to
// the keepers. Processes and steps are the caller's to fill in. `exposed_comm`
// gets the spans of exposed communication, in time.
DeviceSummary SummariseDevice(const TraceModel& model, const DeviceView& view,
                              const DeviceKeepers& keepers,
                              std::vector<Interval>& exposed_comm);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_DEVICE_SUMMARY_H_
