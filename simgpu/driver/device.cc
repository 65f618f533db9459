// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device.h"

#include <algorithm>
#include <cstring>

#include "simgpu/base/config.h"
#include "simgpu/base/error_text.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
CUresult ReadUuid(CUuuid* uuid, CUdevice dev) {
  return OnDevice<kName>(dev, [&](Device& device) {
    if (uuid == nullptr) return Error::kInvalidValue;
    std::memcpy(uuid->bytes, device.uuid.data(), sizeof(uuid->bytes));
    return Error::kSuccess;
  });
}

Error CopyText(const std::string& text, char* out, int length) {
  if (out == nullptr || length <= 0) return Error::kInvalidValue;
  const size_t copied = std::min<size_t>(text.size(), length - 1);
  std::memcpy(out, text.data(), copied);
  out[copied] = '\0';
  return Error::kSuccess;
}

template <ApiName kName>
CUresult ErrorText(CUresult error, const char** text,
                   const char* (*lookup)(int)) {
  return Driver<kName>(DriverNeeds::kNothing, [&] {
    if (text == nullptr) return Error::kInvalidValue;
    *text = lookup(error);
    return *text == nullptr ? Error::kInvalidValue : Error::kSuccess;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuInit(unsigned int Flags) {
  return Driver<"cuInit">(DriverNeeds::kNothing, [&] {
    return Flags != 0 ? Error::kInvalidValue : InitializeDevices();
  });
}

CUresult cuDriverGetVersion(int* driverVersion) {
  return Driver<"cuDriverGetVersion">(DriverNeeds::kNothing, [&] {
    if (driverVersion == nullptr) return Error::kInvalidValue;
    *driverVersion = GetConfig().cuda_version;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return Driver<"cuDeviceGetCount">(DriverNeeds::kInit, [&] {
    if (count == nullptr) return Error::kInvalidValue;
    *count = DeviceCount();
    return Error::kSuccess;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return OnDevice<"cuDeviceGet">(ordinal, [&](Device& found) {
    if (device == nullptr) return Error::kInvalidValue;
    *device = found.ordinal;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
  return OnDevice<"cuDeviceGetName">(dev, [&](Device& device) {
    return CopyText(std::string(device.gpu.product), name, len);
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
  return ReadUuid<"cuDeviceGetUuid">(uuid, dev);
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
  return ReadUuid<"cuDeviceGetUuid_v2">(uuid, dev);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
  return OnDevice<"cuDeviceTotalMem_v2">(dev, [&](Device& device) {
    if (bytes == nullptr) return Error::kInvalidValue;
    *bytes = device.memory_bytes;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib,
                              CUdevice dev) {
  return OnDevice<"cuDeviceGetAttribute">(dev, [&](Device& device) {
    const auto value = DeviceAttribute(device, attrib);
    if (pi == nullptr || !value) return Error::kInvalidValue;
    *pi = *value;
    return Error::kSuccess;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
  return OnDevice<"cuDeviceComputeCapability">(dev, [&](Device& device) {
    if (major == nullptr || minor == nullptr) return Error::kInvalidValue;
    *major = device.gpu.compute_major;
    *minor = device.gpu.compute_minor;
    return Error::kSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
  return OnDevice<"cuDeviceGetPCIBusId">(dev, [&](Device& device) {
    return CopyText(PciBusId(device), pciBusId, len);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
  return Driver<"cuDeviceGetByPCIBusId">(DriverNeeds::kInit, [&] {
    if (dev == nullptr || pciBusId == nullptr) return Error::kInvalidValue;
    const int found = FindDeviceByPciBusId(pciBusId);
    if (found < 0) return Error::kInvalidDevice;
    *dev = found;
    return Error::kSuccess;
  });
}

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev,
                               CUdevice peerDev) {
  return OnDevice<"cuDeviceCanAccessPeer">(dev, [&](Device& device) {
    const Device* peer = FindDevice(peerDev);
    if (peer == nullptr) return Error::kInvalidDevice;
    if (canAccessPeer == nullptr) return Error::kInvalidValue;
    *canAccessPeer = peer != &device ? 1 : 0;
    return Error::kSuccess;
  });
}

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  return ErrorText<"cuGetErrorName">(error, pStr, DriverErrorName);
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  return ErrorText<"cuGetErrorString">(error, pStr, ErrorDescription);
}

CUresult cuProfilerStart() {
  return Driver<"cuProfilerStart">(DriverNeeds::kContext,
                                   [] { return Error::kSuccess; });
}

CUresult cuProfilerStop() {
  return Driver<"cuProfilerStop">(DriverNeeds::kContext,
                                  [] { return Error::kSuccess; });
}
