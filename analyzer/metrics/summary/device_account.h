// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SUMMARY_DEVICE_ACCOUNT_H_
#define DLTAP_ANALYZER_METRICS_SUMMARY_DEVICE_ACCOUNT_H_

#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/classes/tallies.h"
#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/pictures/pictures.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/metrics/windows/outside.h"
#include "analyzer/metrics/windows/physical_device.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a device is added to.
struct DeviceSums {
  std::vector<DeviceSummary>& devices;
  Outside& outside;
  Tallies& tallies;
  std::vector<Interval>& exposed_comm;  // spans of the device's, in time
  LayerTable& layers;
  std::vector<StepWindow>& windows;  // the device's
  Pictures* pictures;                // null: none are drawn
};

// Adds all GPU work of one device to `out`: what lies inside the windows to
// its devices and tallies, the rest to what is outside. The windows are those
// of all its processes together; a process without steps adds one only if no
// other has any. `steps` and `layers` hold
// those of every process of the model.
void AddDevice(const TraceModel& model, const Attribution& attribution,
               const std::vector<Steps>& steps,
               const std::vector<ProcessLayers>& layers,
               const Selection& selection, const PhysicalDevice& device,
               const DeviceSums& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SUMMARY_DEVICE_ACCOUNT_H_
