// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_HOST_COST_H_
#define DLTAP_SIMGPU_BASE_HOST_COST_H_

#include <cstdint>
#include <string_view>

namespace dltap::simgpu {

// Host time of one call in virtual mode, by the function's name.
uint32_t HostCostOf(std::string_view name);

// Of a call that sets, checks or asks for something, and puts no work anywhere.
constexpr uint32_t kCheapCallNs = 100;

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_HOST_COST_H_
