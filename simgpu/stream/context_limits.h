// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_CONTEXT_LIMITS_H_
#define DLTAP_SIMGPU_STREAM_CONTEXT_LIMITS_H_

#include <cstddef>

#include "simgpu/base/error.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {

// Numbered as CUlimit and cudaLimit (stack, printf buffer, heap, ...): kept and
// given back. kInvalidValue for an unknown limit.
Error SetContextLimit(Context& context, int limit, size_t value);
Error GetContextLimit(const Context& context, int limit, size_t* value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_CONTEXT_LIMITS_H_
