// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_CONVERSIONS_H_
#define DLTAP_SIMGPU_CUDART_CONVERSIONS_H_

#include <optional>

#include "simgpu/base/activity.h"
#include "simgpu/base/launch_geometry.h"
#include "simgpu/cudart/runtime_header.h"
#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu {

inline Dim3 ToDim3(const dim3& d) { return {d.x, d.y, d.z}; }

// nullopt for cudaMemcpyDefault.
inline std::optional<CopyDirection> ToDirection(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost: return CopyDirection::kHostToHost;
    case cudaMemcpyHostToDevice: return CopyDirection::kHostToDevice;
    case cudaMemcpyDeviceToHost: return CopyDirection::kDeviceToHost;
    case cudaMemcpyDeviceToDevice: return CopyDirection::kDeviceToDevice;
    default: return std::nullopt;
  }
}

inline bool IsCopyKind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_CONVERSIONS_H_
