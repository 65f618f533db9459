// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool_place.h"

#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

enum AllocationType : int { kPinnedType = 1, kManagedType = 2 };
enum LocationType : int {
  kNowhere = 0,
  kOnDevice = 1,
  kOnHost = 2,
  kOnNumaNode = 3,
  kOnCurrentNumaNode = 4,
};

// Pinned and managed memory belongs to no device.
HomePool& HomePoolOf(MemoryKind kind) {
  const auto make = [](MemoryKind of) {
    MemoryPool* pool = NewMemoryPool({.device = FindDevice(0), .kind = of});
    return new HomePool{pool, pool};
  };
  static auto* const pinned = make(MemoryKind::kPinned);
  static auto* const managed = make(MemoryKind::kManaged);
  return kind == MemoryKind::kPinned ? *pinned : *managed;
}

HomePool& HomePoolAt(const PoolProperties& at) {
  return at.kind == MemoryKind::kDevice ? HomePoolOf(*at.device)
                                        : HomePoolOf(at.kind);
}

}  // namespace

Error FindPoolPlace(const PoolPlace& place, PoolProperties* properties) {
  const bool managed = place.allocation_type == kManagedType;
  if (place.allocation_type != kPinnedType && !managed) {
    return Error::kInvalidValue;
  }
  switch (place.location_type) {
    case kOnDevice:
      properties->device = FindDevice(place.location_id);
      properties->kind = managed ? MemoryKind::kManaged : MemoryKind::kDevice;
      return properties->device == nullptr ? Error::kInvalidDevice
                                           : Error::kSuccess;
    case kNowhere:
      if (!managed) return Error::kInvalidValue;
      break;
    case kOnHost:
    case kOnNumaNode:
    case kOnCurrentNumaNode: break;
    default: return Error::kInvalidValue;
  }
  properties->device = FindDevice(0);
  properties->kind = managed ? MemoryKind::kManaged : MemoryKind::kPinned;
  return Error::kSuccess;
}

Error DefaultPoolAt(const PoolPlace& place, MemoryPool** pool) {
  PoolProperties at;
  const Error error = FindPoolPlace(place, &at);
  if (error != Error::kSuccess) return error;
  *pool = HomePoolAt(at).original;
  return Error::kSuccess;
}

Error CurrentPoolAt(const PoolPlace& place, MemoryPool** pool) {
  PoolProperties at;
  const Error error = FindPoolPlace(place, &at);
  if (error != Error::kSuccess) return error;
  *pool = HomePoolAt(at).current.load();
  return Error::kSuccess;
}

Error SetPoolAt(const PoolPlace& place, MemoryPool& pool) {
  PoolProperties at;
  const Error error = FindPoolPlace(place, &at);
  if (error != Error::kSuccess) return error;
  if (pool.imported != nullptr || pool.properties.kind != at.kind) {
    return Error::kInvalidValue;
  }
  if (at.kind == MemoryKind::kDevice && pool.device != at.device) {
    return Error::kInvalidValue;
  }
  HomePoolAt(at).current.store(&pool);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
