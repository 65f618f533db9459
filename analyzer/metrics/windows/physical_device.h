// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_WINDOWS_PHYSICAL_DEVICE_H_
#define DLTAP_ANALYZER_METRICS_WINDOWS_PHYSICAL_DEVICE_H_

#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A device as one process numbers it.
struct DeviceMember {
  size_t process;  // into TraceModel::processes
  DeviceId device;
};

// A GPU, or an instance of one: its members are the devices under which
// processes put work on it, in the order of processes; one at least.
using PhysicalDevice = std::vector<DeviceMember>;

// All devices of the model that any activity names. Equal UUIDs of one host
// are one device. Without a UUID, equal ordinals of one named host are, but
// not those of two ranks: ordinals are counted among the devices that a
// process may see, and ranks don't share theirs.
std::vector<PhysicalDevice> PhysicalDevices(const TraceModel& model);

// The same of those that `used` says, by process and device.
std::vector<PhysicalDevice> PhysicalDevices(
    const TraceModel& model, const std::vector<std::vector<bool>>& used);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_WINDOWS_PHYSICAL_DEVICE_H_
