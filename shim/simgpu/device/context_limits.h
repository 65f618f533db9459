// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_CONTEXT_LIMITS_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_CONTEXT_LIMITS_H_

#include <cstddef>

#include "shim/simgpu/device/device.h"
#include "shim/simgpu/device/error.h"

namespace dltap::simgpu {

// Numbered as CUlimit and cudaLimit (stack, printf buffer, heap, ...): kept and
// given back. kInvalidValue for an unknown limit.
Error SetContextLimit(Context& context, int limit, size_t value);
Error GetContextLimit(const Context& context, int limit, size_t* value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_CONTEXT_LIMITS_H_
