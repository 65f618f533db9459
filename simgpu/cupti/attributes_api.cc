// SPDX-License-Identifier: Apache-2.0
// cuptiActivityGet/SetAttribute: kept and given back. There is no device memory
// that the sizes could limit.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "simgpu/cupti/attributes.h"
#include "simgpu/cupti/cupti_call.h"
#include "simgpu/cupti/toolkit.h"

namespace dltap::simgpu {
namespace {

// As cupti_activity.h of 11.8, 12.4, 12.8 and 13.0 documents them.
struct AttributeRow {
  CUpti_ActivityAttribute id;
  size_t bytes;
  uint32_t since;     // API version that knows it
  uint64_t original;  // its default then
  uint32_t changed;   // API version with another default; 0: none
  uint64_t recent;
  uint32_t until = 0;  // API version that does not support it any more
};

constexpr uint32_t k12_3 = 21;
constexpr uint32_t k13 = 130000;
constexpr AttributeRow kRows[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, sizeof(size_t), 0, 3200000, 0, 0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, sizeof(size_t), 0, 8388608, 0,
     0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, sizeof(size_t), 0, 250, 0,
     0},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE, sizeof(size_t), 0,
     25000, 0, 0, k12_3},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, sizeof(size_t), 0, 250,
     0, 0, k12_3},
    {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof(uint8_t), 0, 0, 0,
     0},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, sizeof(size_t), 0, 3,
     0, 0},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE, sizeof(size_t),
     0, 3, 0, 0, k12_3},
    {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, sizeof(uint8_t), 0, 1,
     k13, 0},
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, sizeof(uint8_t), k12_3, 0,
     k13, 1},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS, sizeof(size_t), k13,
     16777216, 0, 0},
};
constexpr size_t kCount = std::size(kRows);

// Values by row; what was never set has the release's default.
struct Values {
  std::array<std::atomic<uint64_t>, kCount> value{};
  Values() {
    for (size_t i = 0; i < kCount; ++i) {
      const AttributeRow& row = kRows[i];
      const bool recent = row.changed != 0 && CuptiApiVersion() >= row.changed;
      value[i] = recent ? row.recent : row.original;
    }
  }
};

Values& AllValues() {
  static auto* const values = new Values;
  return *values;
}

constexpr size_t IndexOf(CUpti_ActivityAttribute id) {
  size_t index = 0;
  while (index < kCount && kRows[index].id != id) ++index;
  return index;
}

CUptiResult Check(CUpti_ActivityAttribute id, const size_t* bytes,
                  const void* value) {
  const size_t index = IndexOf(id);
  if (bytes == nullptr || value == nullptr || index == kCount ||
      CuptiApiVersion() < kRows[index].since) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  if (kRows[index].until != 0 && CuptiApiVersion() >= kRows[index].until) {
    return CUPTI_ERROR_NOT_SUPPORTED;
  }
  return *bytes < kRows[index].bytes ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT
                                     : CUPTI_SUCCESS;
}

}  // namespace

bool PerThreadBuffers() {
  constexpr size_t kIndex =
      IndexOf(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
  return AllValues().value[kIndex].load(std::memory_order_relaxed) != 0;
}

bool ZeroedBuffers() {
  constexpr size_t kIndex =
      IndexOf(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
  return AllValues().value[kIndex].load(std::memory_order_relaxed) != 0;
}

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

CUptiResult CUPTIAPI cuptiActivityGetAttribute(CUpti_ActivityAttribute id,
                                               size_t* bytes, void* value) {
  return Cupti<"cuptiActivityGetAttribute">([&] {
    const CUptiResult result = Check(id, bytes, value);
    if (result != CUPTI_SUCCESS) return result;
    const size_t index = IndexOf(id);
    const uint64_t stored = AllValues().value[index];
    std::memcpy(value, &stored, kRows[index].bytes);
    *bytes = kRows[index].bytes;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute id,
                                               size_t* bytes, void* value) {
  return Cupti<"cuptiActivitySetAttribute">([&] {
    const CUptiResult result = Check(id, bytes, value);
    if (result != CUPTI_SUCCESS) return result;
    const size_t index = IndexOf(id);
    uint64_t stored = 0;
    std::memcpy(&stored, value, kRows[index].bytes);
    AllValues().value[index] = stored;
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
