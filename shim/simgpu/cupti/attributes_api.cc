// SPDX-License-Identifier: Apache-2.0
// cuptiActivityGet/SetAttribute: kept and given back; only their defaults,
// which cupti_activity.h documents, have a meaning here.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "shim/simgpu/cupti/cupti_call.h"

namespace dltap::simgpu {
namespace {

struct Attribute {
  CUpti_ActivityAttribute id;
  size_t bytes;
  std::atomic<uint64_t> value;
};

constinit Attribute g_attributes[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, sizeof(size_t), {3200000}},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, sizeof(size_t), {8388608}},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, sizeof(size_t), {250}},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE,
     sizeof(size_t),
     {25000}},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, sizeof(size_t), {250}},
    {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof(uint8_t), {0}},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, sizeof(size_t), {3}},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE,
     sizeof(size_t),
     {3}},
    {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, sizeof(uint8_t), {0}},
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, sizeof(uint8_t), {1}},
};

Attribute* FindAttribute(CUpti_ActivityAttribute id) {
  for (Attribute& attribute : g_attributes) {
    if (attribute.id == id) return &attribute;
  }
  return nullptr;
}

// nullptr: `result` says why.
Attribute* Check(CUpti_ActivityAttribute id, const size_t* bytes,
                 const void* value, CUptiResult& result) {
  result = CUPTI_ERROR_INVALID_PARAMETER;
  if (bytes == nullptr || value == nullptr) return nullptr;
  Attribute* attribute = FindAttribute(id);
  if (attribute == nullptr) return nullptr;
  result = *bytes < attribute->bytes ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT
                                     : CUPTI_SUCCESS;
  return result == CUPTI_SUCCESS ? attribute : nullptr;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

CUptiResult CUPTIAPI cuptiActivityGetAttribute(CUpti_ActivityAttribute id,
                                               size_t* bytes, void* value) {
  return Cupti<"cuptiActivityGetAttribute">([&] {
    CUptiResult result;
    if (Attribute* attribute = Check(id, bytes, value, result)) {
      const uint64_t stored = attribute->value;
      std::memcpy(value, &stored, attribute->bytes);
      *bytes = attribute->bytes;
    }
    return result;
  });
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute id,
                                               size_t* bytes, void* value) {
  return Cupti<"cuptiActivitySetAttribute">([&] {
    CUptiResult result;
    if (Attribute* attribute = Check(id, bytes, value, result)) {
      uint64_t stored = 0;
      std::memcpy(&stored, value, attribute->bytes);
      attribute->value = stored;
    }
    return result;
  });
}

}  // extern "C"
