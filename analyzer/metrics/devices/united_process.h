// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_UNITED_PROCESS_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_UNITED_PROCESS_H_

#include <utility>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// All processes that share a device, as if they were threads of one: what
// runs on it, and what every host thread did, on one time line. Owns what it
// holds; a copy, and only of what gaps, phases and sums need (no launch
// records, no nodes of graphs: the activities are attributed already).
struct UnitedProcess {
  Process process;
  ProcessAttribution attribution;
  DeviceId device;  // the shared one
  // Where each activity comes from: process of the model, and its index there.
  std::vector<std::pair<size_t, size_t>> origins;
};

// `shared` has several members, whose processes are all of one host, so that
// their times compare.
UnitedProcess Unite(const TraceModel& model, const Attribution& attribution,
                    const PhysicalDevice& shared);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_UNITED_PROCESS_H_
