// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_VISIBLE_DEVICES_H_
#define DLTAP_SIMGPU_BASE_VISIBLE_DEVICES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "opmodel/gpu_table.h"

namespace dltap::simgpu {

using DeviceUuid = std::array<uint8_t, 16>;

// Of the GPU with this number on the machine; begins with "dltapsim".
DeviceUuid UuidOf(const opmodel::GpuSpec& gpu, int number);

// "GPU-646c7461-7073-696d-...": NVML's form.
std::string UuidText(const DeviceUuid& uuid);

// The GPUs that CUDA_VISIBLE_DEVICES leaves to this process, by their numbers
// on the machine, in its order: numbers, or UUIDs as NVML writes them (a
// beginning that only one GPU has is enough). The first entry that names none
// ends the list; one that is named twice leaves none. All where it is not set.
// Read once, when CUDA begins. (CUDA C++ Programming Guide, "CUDA Environment
// Variables"; for twice and odd numbers PyTorch's
// torch.cuda._parse_visible_devices, which counts as the driver does.)
const std::vector<int>& VisibleDevices();

// The number on the machine of a visible device; itself if it is none.
int NumberOfDevice(int ordinal);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_VISIBLE_DEVICES_H_
