// SPDX-License-Identifier: Apache-2.0
// NVML: what a device says of itself.
#include <cstdio>
#include <string>

#include "simgpu/base/visible_devices.h"
#include "simgpu/rest/nvml_call.h"

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char* uuid,
                               unsigned bytes) {
  return OfDevice<"nvmlDeviceGetUUID">(handle, uuid, [&](Device& device) {
    const std::string text = UuidText(device.uuid);
    if (text.size() + 1 > bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::snprintf(uuid, bytes, "%s", text.c_str());
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t handle, unsigned* index) {
  return OfDevice<"nvmlDeviceGetIndex">(handle, index, [&](Device& device) {
    *index = static_cast<unsigned>(device.number);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle,
                                     nvmlMemory_t* memory) {
  return OfDevice<"nvmlDeviceGetMemoryInfo">(
      handle, memory, [&](Device& device) {
        memory->total = device.memory_bytes;
        memory->used = device.used_bytes;
        memory->free = memory->total - memory->used;
        return NVML_SUCCESS;
      });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t handle,
                                        nvmlMemory_v2_t* memory) {
  return OfDevice<"nvmlDeviceGetMemoryInfo_v2">(
      handle, memory, [&](Device& device) {
        memory->total = device.memory_bytes;
        memory->reserved = 0;
        memory->used = device.used_bytes;
        memory->free = memory->total - memory->used;
        return NVML_SUCCESS;
      });
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t handle, int* major,
                                                int* minor) {
  return OfDevice<"nvmlDeviceGetCudaComputeCapability">(
      handle, major, [&](Device& device) {
        if (minor == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
        *major = device.gpu.compute_major;
        *minor = device.gpu.compute_minor;
        return NVML_SUCCESS;
      });
}

// No link is simulated as a device: topology queries say so.
nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t handle, unsigned,
                                      nvmlEnableState_t* state) {
  return OfDevice<"nvmlDeviceGetNvLinkState">(
      handle, state, [](Device&) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(
    nvmlDevice_t handle, unsigned, nvmlIntNvLinkDeviceType_t* type) {
  return OfDevice<"nvmlDeviceGetNvLinkRemoteDeviceType">(
      handle, type, [](Device&) { return NVML_ERROR_NOT_SUPPORTED; });
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t handle,
                                         nvmlGpuFabricInfoV_t* info) {
  return OfDevice<"nvmlDeviceGetGpuFabricInfoV">(
      handle, info, [](Device&) { return NVML_ERROR_NOT_SUPPORTED; });
}

}  // extern "C"
