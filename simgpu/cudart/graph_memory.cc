// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_memory.h"

#include <cstring>

#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
cudaError_t OnDevice(int ordinal, Body body) {
  return Runtime<kName>(Needs::kDriver, [&] {
    Device* device = FindDevice(ordinal);
    return device == nullptr ? Error::kInvalidDevice : body(*device);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attr,
                                           void* value) {
  return OnDevice<"cudaDeviceGetGraphMemAttribute">(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    const Error error = GetGraphMemoryAttribute(found, attr, &bytes);
    if (error == Error::kSuccess) std::memcpy(value, &bytes, sizeof(bytes));
    return error;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType attr,
                                           void* value) {
  return OnDevice<"cudaDeviceSetGraphMemAttribute">(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    std::memcpy(&bytes, value, sizeof(bytes));
    return SetGraphMemoryAttribute(found, attr, bytes);
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return OnDevice<"cudaDeviceGraphMemTrim">(device, [](Device& found) {
    TrimGraphMemory(found);
    return Error::kSuccess;
  });
}
