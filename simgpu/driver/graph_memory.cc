// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_memory.h"

#include <cstring>

#include "simgpu/driver/driver_call.h"

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuDeviceGetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attr, void* value) {
  return OnDevice<"cuDeviceGetGraphMemAttribute">(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    const Error error = GetGraphMemoryAttribute(found, attr, &bytes);
    if (error == Error::kSuccess) std::memcpy(value, &bytes, sizeof(bytes));
    return error;
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute attr, void* value) {
  return OnDevice<"cuDeviceSetGraphMemAttribute">(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    std::memcpy(&bytes, value, sizeof(bytes));
    return SetGraphMemoryAttribute(found, attr, bytes);
  });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return OnDevice<"cuDeviceGraphMemTrim">(device, [](Device& found) {
    TrimGraphMemory(found);
    return Error::kSuccess;
  });
}
