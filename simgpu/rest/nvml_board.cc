// SPDX-License-Identifier: Apache-2.0
// NVML: the board a device sits on, its clocks and limits. Nothing is measured:
// a clock is always at its boost, a limit is the datasheet's power.
#include <cstdio>
#include <optional>
#include <string>

#include "simgpu/rest/nvml_call.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

// Numbered as cudaDevAttrMemoryClockRate.
constexpr int kMemoryClockRate = 36;
constexpr unsigned kNvidiaVendorId = 0x10de;

std::optional<unsigned> ClockMhz(const Device& device, nvmlClockType_t type) {
  switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
    case NVML_CLOCK_VIDEO: return static_cast<unsigned>(device.gpu.boost_mhz);
    case NVML_CLOCK_MEM:
      return static_cast<unsigned>(
          DeviceAttribute(device, kMemoryClockRate).value_or(0) / 1000);
    default: return std::nullopt;
  }
}

template <ApiName kName>
nvmlReturn_t GiveClock(nvmlDevice_t handle, nvmlClockType_t type,
                       unsigned* mhz) {
  return OfDevice<kName>(handle, mhz, [&](Device& device) {
    const auto clock = ClockMhz(device, type);
    if (!clock) return NVML_ERROR_INVALID_ARGUMENT;
    *mhz = *clock;
    return NVML_SUCCESS;
  });
}

unsigned LimitMilliwatts(const Device& device) {
  return static_cast<unsigned>(device.gpu.tdp_watts * 1000);
}

template <ApiName kName>
nvmlReturn_t GiveLimit(nvmlDevice_t handle, unsigned* milliwatts) {
  return OfDevice<kName>(handle, milliwatts, [&](Device& device) {
    *milliwatts = LimitMilliwatts(device);
    return NVML_SUCCESS;
  });
}

nvmlDeviceArchitecture_t ArchitectureOf(const opmodel::GpuSpec& gpu) {
  switch (gpu.compute_major) {
    case 5: return NVML_DEVICE_ARCH_MAXWELL;
    case 6: return NVML_DEVICE_ARCH_PASCAL;
    case 7:
      return gpu.compute_minor < 5 ? NVML_DEVICE_ARCH_VOLTA
                                   : NVML_DEVICE_ARCH_TURING;
    case 8:
      return gpu.compute_minor < 9 ? NVML_DEVICE_ARCH_AMPERE
                                   : NVML_DEVICE_ARCH_ADA;
    case 9: return NVML_DEVICE_ARCH_HOPPER;
    case 10:
    case 11:
    case 12: return NVML_DEVICE_ARCH_BLACKWELL;
    default: return NVML_DEVICE_ARCH_UNKNOWN;
  }
}

// The runtime's bus id in NVML's two forms.
void FillPci(const Device& device, nvmlPciInfo_t* pci) {
  *pci = {};
  std::sscanf(PciBusId(device).c_str(), "%x:%x:%x", &pci->domain, &pci->bus,
              &pci->device);
  pci->pciDeviceId = kNvidiaVendorId;
  std::snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy,
                NVML_DEVICE_PCI_BUS_ID_LEGACY_FMT,
                NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pci));
  std::snprintf(pci->busId, sizeof pci->busId, NVML_DEVICE_PCI_BUS_ID_FMT,
                NVML_DEVICE_PCI_BUS_ID_FMT_ARGS(pci));
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t handle, nvmlPciInfo_t* pci) {
  return OfDevice<"nvmlDeviceGetPciInfo_v3">(handle, pci, [&](Device& device) {
    FillPci(device, pci);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t handle, nvmlClockType_t type,
                                    unsigned* mhz) {
  return GiveClock<"nvmlDeviceGetClockInfo">(handle, type, mhz);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle,
                                       nvmlClockType_t type, unsigned* mhz) {
  return GiveClock<"nvmlDeviceGetMaxClockInfo">(handle, type, mhz);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t handle,
                                               unsigned* milliwatts) {
  return GiveLimit<"nvmlDeviceGetPowerManagementLimit">(handle, milliwatts);
}
nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t handle,
                                                      unsigned* milliwatts) {
  return GiveLimit<"nvmlDeviceGetPowerManagementDefaultLimit">(handle,
                                                               milliwatts);
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t handle,
                                             unsigned* milliwatts) {
  return GiveLimit<"nvmlDeviceGetEnforcedPowerLimit">(handle, milliwatts);
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t handle, unsigned* cores) {
  return OfDevice<"nvmlDeviceGetNumGpuCores">(
      handle, cores, [&](Device& device) {
        *cores = static_cast<unsigned>(device.gpu.sms *
                                       device.gpu.fp32_lanes_per_sm);
        return NVML_SUCCESS;
      });
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t handle,
                                       nvmlDeviceArchitecture_t* architecture) {
  return OfDevice<"nvmlDeviceGetArchitecture">(
      handle, architecture, [&](Device& device) {
        *architecture = ArchitectureOf(device.gpu);
        return NVML_SUCCESS;
      });
}

}  // extern "C"
