// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_SLICED_PROCESS_H_
#define DLTAP_ANALYZER_METRICS_SLICES_SLICED_PROCESS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/metrics/collectives/collective_finder.h"
#include "analyzer/metrics/slices/slice_events.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/metrics/windows/outside.h"
#include "analyzer/metrics/windows/window.h"

namespace dltap::analyzer {

// What the slices of one process add up to.
struct SlicedProcess {
  Steps steps;
  // By device; who waits for whom in communication is not in them.
  std::vector<std::optional<DeviceSummary>> devices;
  std::vector<std::vector<Interval>> exposed;  // communication, in time
  CollectiveRuns collectives;                  // for JoinRuns
  Outside outside;
  Tallies tallies;
  uint64_t launches_without_kernel = 0;
  uint64_t kernels_without_launch = 0;
  int64_t composite_ns = 0;
};

// Adds the host's calls of a slice: those inside used steps of `counted`, and
// of the rest, what begins in `part`.
void AddHostPart(const SliceEvents& slice, const Steps& counted,
                 const TimePart& part, SlicedProcess& out);

// What a slice counts of one device.
struct SlicedDevice {
  DeviceId device;
  TimePart part;  // the activities that begin in it are this slice's
  const Steps& steps;
  const std::vector<StepWindow>& windows;   // inside the part
  const std::vector<StepWindow>& earlier;   // counted by slices before
  const std::vector<OutsidePart>& outside;  // of all time
  std::vector<StepTime> step_times = {};    // one a window, or none
};

void AddDevicePart(const SliceEvents& slice, const SlicedDevice& device,
                   SlicedProcess& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_SLICED_PROCESS_H_
