// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_CALL_WANTS_H_
#define DLTAP_SIMGPU_BASE_CALL_WANTS_H_

#include <cstdint>

#include "simgpu/base/activity.h"
#include "simgpu/base/api_function.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/host_cost.h"

namespace dltap::simgpu {

// More of the ActivityBits, for what costs every call of the program and few
// clients need. Without the first ApiActivity has no times, and no clock is
// read for them. Without the second only calls that may put work on a device
// are shown, and have correlation ids.
constexpr uint32_t kCallTimes = 1u << 11;
constexpr uint32_t kEveryCall = 1u << 12;
static_assert(kCallTimes > kPoolActivity, "bits of their own");

inline int64_t CallTime() { return ActivityWanted(kCallTimes) ? SimNow() : 0; }

// REQUIRES: the function is registered.
inline bool CallIsWanted(const ApiFunction& function) {
  return ActivityWanted(~0u) &&
         (function.host_cost_ns > kCheapCallNs || ActivityWanted(kEveryCall));
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_CALL_WANTS_H_
