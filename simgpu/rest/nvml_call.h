// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_REST_NVML_CALL_H_
#define DLTAP_SIMGPU_REST_NVML_CALL_H_

#pragma GCC visibility push(default)
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
#pragma GCC visibility pop

#include "simgpu/base/api_scope.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

template <ApiName kName, typename Body>
nvmlReturn_t Nvml(Body body) {
  ApiScope scope(FunctionOf<"nvml", kName>());
  if (scope.injected_error() != 0) [[unlikely]] {
    return static_cast<nvmlReturn_t>(scope.injected_error());
  }
  return body();
}

// A device function: checks the handle and the output pointer.
template <ApiName kName, typename T, typename Body>
nvmlReturn_t OfDevice(nvmlDevice_t handle, T* output, Body body) {
  return Nvml<kName>([&] {
    if (handle == nullptr || output == nullptr) {
      return NVML_ERROR_INVALID_ARGUMENT;
    }
    return body(*reinterpret_cast<Device*>(handle));
  });
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_REST_NVML_CALL_H_
