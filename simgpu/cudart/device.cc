// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device.h"

#include <cstring>

#include "simgpu/base/config.h"
#include "simgpu/base/library_versions.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/cudart/device_properties.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/context.h"
#include "simgpu/stream/device_attributes.h"
#include "simgpu/stream/device_memory.h"

namespace dltap::simgpu {
namespace {

// Makes the device current and its primary context active.
Error MakeCurrent(int ordinal) {
  Device* device = FindDevice(ordinal);
  if (device == nullptr) return Error::kInvalidDevice;
  ThreadState& thread = CurrentThread();
  thread.device = ordinal;
  if (thread.contexts.empty()) {
    thread.contexts.push_back(device->primary_context);
  } else {
    thread.contexts.back() = device->primary_context;
  }
  ActivatePrimary(*device);
  return Error::kSuccess;
}

template <ApiName kName>
cudaError_t Give(int* out, int version) {
  return Runtime<kName>(Needs::kNothing, [&] {
    if (out == nullptr) return Error::kInvalidValue;
    *out = version;
    return Error::kSuccess;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGetDeviceCount(int* count) {
  return Runtime<"cudaGetDeviceCount">(Needs::kNothing, [&] {
    if (count == nullptr) return Error::kInvalidValue;
    const Error error = InitializeDevices();
    if (error == Error::kSuccess || error == Error::kNoDevice) {
      *count = DeviceCount();
    }
    return error;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return Runtime<"cudaGetDevice">(Needs::kDriver, [&] {
    if (device == nullptr) return Error::kInvalidValue;
    *device = CurrentThread().device;
    return Error::kSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return Runtime<"cudaSetDevice">(Needs::kDriver,
                                  [&] { return MakeCurrent(device); });
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return Runtime<"cudaInitDevice">(Needs::kDriver, [&] {
    Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    ActivatePrimary(*found);
    return Error::kSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return Runtime<"cudaGetDeviceProperties">(Needs::kDriver, [&] {
    const Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (prop == nullptr) return Error::kInvalidValue;
    FillProperties(*found, *prop);
    return Error::kSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr,
                                   int device) {
  return Runtime<"cudaDeviceGetAttribute">(Needs::kDriver, [&] {
    const Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    const auto attribute = DeviceAttribute(*found, attr);
    if (value == nullptr || !attribute) return Error::kInvalidValue;
    *value = *attribute;
    return Error::kSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return Runtime<"cudaDeviceReset">(
      Needs::kDriver, [] { return ResetDevice(CurrentDeviceState()); });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return Runtime<"cudaDeviceGetPCIBusId">(Needs::kDriver, [&] {
    const Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    const std::string text = PciBusId(*found);
    if (pciBusId == nullptr || len <= static_cast<int>(text.size())) {
      return Error::kInvalidValue;
    }
    std::memcpy(pciBusId, text.c_str(), text.size() + 1);
    return Error::kSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return Runtime<"cudaDeviceGetByPCIBusId">(Needs::kDriver, [&] {
    if (device == nullptr || pciBusId == nullptr) return Error::kInvalidValue;
    const int found = FindDeviceByPciBusId(pciBusId);
    if (found < 0) return Error::kInvalidDevice;
    *device = found;
    return Error::kSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device,
                                    int peerDevice) {
  return Runtime<"cudaDeviceCanAccessPeer">(Needs::kDriver, [&] {
    if (FindDevice(device) == nullptr || FindDevice(peerDevice) == nullptr) {
      return Error::kInvalidDevice;
    }
    if (canAccessPeer == nullptr) return Error::kInvalidValue;
    *canAccessPeer = device != peerDevice ? 1 : 0;
    return Error::kSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return Runtime<"cudaDeviceEnablePeerAccess">(Needs::kContext, [&] {
    Device& device = ActiveDevice();
    if (FindDevice(peerDevice) == nullptr || peerDevice == device.ordinal) {
      return Error::kInvalidDevice;
    }
    if (flags != 0) return Error::kInvalidValue;
    const uint32_t bit = 1u << peerDevice;
    return (device.peers.fetch_or(bit) & bit) != 0 ? Error::kPeerAlreadyEnabled
                                                   : Error::kSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return Runtime<"cudaDeviceDisablePeerAccess">(Needs::kContext, [&] {
    if (FindDevice(peerDevice) == nullptr) return Error::kInvalidDevice;
    const uint32_t bit = 1u << peerDevice;
    return (ActiveDevice().peers.fetch_and(~bit) & bit) == 0
               ? Error::kPeerNotEnabled
               : Error::kSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
  return Give<"cudaDriverGetVersion">(driverVersion, GetConfig().cuda_version);
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  return Give<"cudaRuntimeGetVersion">(runtimeVersion,
                                       GetLibraryVersions().cuda);
}

cudaError_t cudaProfilerStart() {
  return Runtime<"cudaProfilerStart">(Needs::kContext,
                                      [] { return Error::kSuccess; });
}

cudaError_t cudaProfilerStop() {
  return Runtime<"cudaProfilerStop">(Needs::kContext,
                                     [] { return Error::kSuccess; });
}
