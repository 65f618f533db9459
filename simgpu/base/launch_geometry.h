// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_LAUNCH_GEOMETRY_H_
#define DLTAP_SIMGPU_BASE_LAUNCH_GEOMETRY_H_

#include <cstdint>

namespace dltap::simgpu {

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;

  constexpr int64_t count() const { return static_cast<int64_t>(x) * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_LAUNCH_GEOMETRY_H_
