// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_DEVICE_ATTRIBUTES_H_
#define DLTAP_SIMGPU_STREAM_DEVICE_ATTRIBUTES_H_

#include <optional>
#include <string>

#include "simgpu/stream/device.h"

namespace dltap::simgpu {

// Value of a CUdevice_attribute / cudaDeviceAttr (the two are numbered alike).
// nullopt: no such attribute. Attributes of hardware that is not simulated
// (textures in detail, Tegra, MPS) are 0.
std::optional<int> DeviceAttribute(const Device& device, int attribute);

// "0000:01:00.0": bus = ordinal + 1.
std::string PciBusId(const Device& device);
int FindDeviceByPciBusId(const std::string& bus_id);  // -1: none

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_DEVICE_ATTRIBUTES_H_
