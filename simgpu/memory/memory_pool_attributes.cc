// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool_attributes.h"

#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// Numbers of cudaMemPoolAttr.
enum PoolAttribute : int {
  kReuseFollowEvent = 1,
  kReuseOpportunistic = 2,
  kReuseInternal = 3,
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kReservedHigh = 6,
  kUsedCurrent = 7,
  kUsedHigh = 8,
};

}  // namespace

Error GetPoolAttribute(MemoryPool& pool, int attribute, void* value) {
  if (value == nullptr) return Error::kInvalidValue;
  const std::lock_guard lock(pool.mutex);
  auto* number = static_cast<uint64_t*>(value);
  auto* flag = static_cast<int*>(value);
  switch (attribute) {
    case kReuseFollowEvent: *flag = pool.reuse_follow_event; break;
    case kReuseOpportunistic: *flag = pool.reuse_opportunistic; break;
    case kReuseInternal: *flag = pool.reuse_internal; break;
    case kReleaseThreshold: *number = pool.release_threshold; break;
    case kReservedCurrent: *number = pool.reserved_bytes; break;
    case kReservedHigh: *number = pool.reserved_high; break;
    case kUsedCurrent: *number = pool.used_bytes; break;
    case kUsedHigh: *number = pool.used_high; break;
    default: return Error::kInvalidValue;
  }
  return Error::kSuccess;
}

Error SetPoolAttribute(MemoryPool& pool, int attribute, const void* value) {
  if (value == nullptr) return Error::kInvalidValue;
  const std::lock_guard lock(pool.mutex);
  const auto* number = static_cast<const uint64_t*>(value);
  const auto* flag = static_cast<const int*>(value);
  switch (attribute) {
    case kReuseFollowEvent: pool.reuse_follow_event = *flag; break;
    case kReuseOpportunistic: pool.reuse_opportunistic = *flag; break;
    case kReuseInternal: pool.reuse_internal = *flag; break;
    case kReleaseThreshold: pool.release_threshold = *number; break;
    // The high marks can be reset, to zero only.
    case kReservedHigh:
      if (*number != 0) return Error::kInvalidValue;
      pool.reserved_high = pool.reserved_bytes;
      break;
    case kUsedHigh:
      if (*number != 0) return Error::kInvalidValue;
      pool.used_high = pool.used_bytes;
      break;
    default: return Error::kInvalidValue;
  }
  return Error::kSuccess;
}

Error SetPoolAccess(MemoryPool& pool, int device, Access access) {
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  // "Revoking access from the device where the memory resides" is an error.
  if (device == pool.device->ordinal &&
      pool.properties.kind == MemoryKind::kDevice) {
    return access == Access::kReadWrite ? Error::kSuccess
                                        : Error::kInvalidValue;
  }
  const std::lock_guard lock(pool.mutex);
  pool.access[device] = access;
  return Error::kSuccess;
}

Error GetPoolAccess(MemoryPool& pool, int device, Access* access) {
  if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
  const bool at_home = device == pool.device->ordinal &&
                       pool.properties.kind == MemoryKind::kDevice;
  const std::lock_guard lock(pool.mutex);
  *access = at_home ? Access::kReadWrite : pool.access[device];
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
