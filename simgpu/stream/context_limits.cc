// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/context_limits.h"

namespace dltap::simgpu {
namespace {

// What a context has before a program sets a limit.
constexpr size_t kDefaults[] = {1024,     // stack bytes of a thread
                                1 << 20,  // printf buffer
                                8 << 20,  // malloc heap
                                2,        // device runtime: nesting depth
                                2048,     // device runtime: pending launches
                                128,      // L2 fetch granularity
                                0,       0};

bool IsLimit(const Context& context, int limit) {
  return limit >= 0 && static_cast<size_t>(limit) < context.limits.size();
}

}  // namespace

Error SetContextLimit(Context& context, int limit, size_t value) {
  if (!IsLimit(context, limit)) return Error::kInvalidValue;
  context.limits[limit].store(value);
  return Error::kSuccess;
}

Error GetContextLimit(const Context& context, int limit, size_t* value) {
  if (value == nullptr || !IsLimit(context, limit)) return Error::kInvalidValue;
  const size_t set = context.limits[limit].load();
  *value = set != 0 ? set : kDefaults[limit];
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
