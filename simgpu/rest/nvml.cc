// SPDX-License-Identifier: Apache-2.0
// NVML: start, versions, finding devices. All else that programs resolve but
// do not need is a generated default.
#include <cstdio>
#include <cstring>
#include <string_view>

#include "simgpu/base/config.h"
#include "simgpu/rest/nvml_call.h"

namespace dltap::simgpu {
namespace {

// A driver of the CUDA version's first release.
const char* DriverVersion() {
  return GetConfig().cuda_version >= 13000 ? "580.95.05" : "570.86.10";
}

nvmlReturn_t Start() {
  return DeviceCountOfMachine() > 0 ? NVML_SUCCESS
                                    : NVML_ERROR_DRIVER_NOT_LOADED;
}

nvmlReturn_t Give(int number, nvmlDevice_t* handle) {
  if (handle == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  Device* device = FindDeviceOfMachine(number);
  if (device == nullptr) return NVML_ERROR_NOT_FOUND;
  *handle = reinterpret_cast<nvmlDevice_t>(device);
  return NVML_SUCCESS;
}

// "00000000:01:00.0": device n sits on bus n + 1, as the runtime says too.
nvmlReturn_t FindByPci(const char* bus_id, nvmlDevice_t* handle) {
  unsigned domain = 0;
  unsigned bus = 0;
  if (bus_id == nullptr || std::sscanf(bus_id, "%x:%x", &domain, &bus) != 2) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return Give(static_cast<int>(bus) - 1, handle);
}

nvmlReturn_t CopyText(std::string_view text, char* target, unsigned bytes) {
  if (target == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() + 1 > bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(target, text.data(), text.size());
  target[text.size()] = '\0';
  return NVML_SUCCESS;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

nvmlReturn_t nvmlInit_v2(void) {
  return Nvml<"nvmlInit_v2">([] { return Start(); });
}
nvmlReturn_t nvmlInitWithFlags(unsigned) {
  return Nvml<"nvmlInitWithFlags">([] { return Start(); });
}
nvmlReturn_t nvmlShutdown(void) {
  return Nvml<"nvmlShutdown">([] { return NVML_SUCCESS; });
}

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    default: return "Unknown Error";
  }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  return Nvml<"nvmlSystemGetDriverVersion">(
      [&] { return CopyText(DriverVersion(), version, bytes); });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return Nvml<"nvmlSystemGetCudaDriverVersion">([&] {
    if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *version = GetConfig().cuda_version;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return Nvml<"nvmlSystemGetCudaDriverVersion_v2">([&] {
    if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *version = GetConfig().cuda_version;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  return Nvml<"nvmlDeviceGetCount_v2">([&] {
    if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned>(DeviceCountOfMachine());
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index,
                                           nvmlDevice_t* handle) {
  return Nvml<"nvmlDeviceGetHandleByIndex_v2">(
      [&] { return Give(static_cast<int>(index), handle); });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id,
                                              nvmlDevice_t* handle) {
  return Nvml<"nvmlDeviceGetHandleByPciBusId_v2">(
      [&] { return FindByPci(bus_id, handle); });
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t handle, char* name,
                               unsigned bytes) {
  return OfDevice<"nvmlDeviceGetName">(handle, name, [&](Device& device) {
    return CopyText(device.gpu.product, name, bytes);
  });
}

}  // extern "C"
