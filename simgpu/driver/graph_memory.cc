// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_memory.h"

#include <cstring>

#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu::body {

Error DeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                                 void* value) {
  return WithDevice(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    const Error error = GetGraphMemoryAttribute(found, attr, &bytes);
    if (error == Error::kSuccess) std::memcpy(value, &bytes, sizeof(bytes));
    return error;
  });
}

Error DeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
                                 void* value) {
  return WithDevice(device, [&](Device& found) {
    if (value == nullptr) return Error::kInvalidValue;
    uint64_t bytes = 0;
    std::memcpy(&bytes, value, sizeof(bytes));
    return SetGraphMemoryAttribute(found, attr, bytes);
  });
}

Error DeviceGraphMemTrim(CUdevice device) {
  return WithDevice(device, [&](Device& found) {
    TrimGraphMemory(found);
    return Error::kSuccess;
  });
}

}  // namespace dltap::simgpu::body
