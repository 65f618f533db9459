// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory_pool.h"

#include <algorithm>

#include "shim/simgpu/device/device.h"
#include "shim/simgpu/device/memory.h"
#include "shim/simgpu/device/stream.h"

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

constexpr size_t kBlockBytes = 512;

size_t RoundToBlock(size_t bytes) {
  return RoundToPages((bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
}

// A cached block that fits without wasting more than half; null: none.
// REQUIRES: pool.mutex.
void* TakeFreeBlock(MemoryPool& pool, size_t rounded, size_t* block_bytes) {
  const auto fit = pool.free_blocks.lower_bound(rounded);
  if (fit == pool.free_blocks.end() || fit->first > rounded * 2) return nullptr;
  void* block = fit->second;
  *block_bytes = fit->first;
  pool.free_blocks.erase(fit);
  return block;
}

// REQUIRES: pool.mutex.
void ReleaseBlocks(MemoryPool& pool, uint64_t keep) {
  while (pool.reserved_bytes > keep && !pool.free_blocks.empty()) {
    const auto largest = std::prev(pool.free_blocks.end());
    UnmapPages(largest->second, largest->first);
    ReleaseBytes(*pool.device, largest->first);
    pool.reserved_bytes -= largest->first;
    pool.free_blocks.erase(largest);
  }
}

// REQUIRES: pool.mutex.
void* NewBlock(MemoryPool& pool, size_t rounded) {
  if (pool.max_bytes != 0 && pool.reserved_bytes + rounded > pool.max_bytes) {
    return nullptr;
  }
  if (!ReserveBytes(*pool.device, rounded)) {
    ReleaseBlocks(pool, 0);  // the device is full: cached blocks must go
    if (!ReserveBytes(*pool.device, rounded)) return nullptr;
  }
  void* block = MapPages(rounded);
  if (block == nullptr) {
    ReleaseBytes(*pool.device, rounded);
    return nullptr;
  }
  pool.reserved_bytes += rounded;
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved_bytes);
  return block;
}

}  // namespace

MemoryPool* NewMemoryPool(Device& device) {
  return HandlePool<MemoryPool>::New(&device);
}

Error DestroyMemoryPool(MemoryPool& pool) {
  Device& device = *pool.device;
  if (&pool == device.default_pool) return Error::kInvalidValue;
  TrimPool(pool, 0);
  MemoryPool* expected = &pool;
  device.current_pool.compare_exchange_strong(expected, device.default_pool);
  HandlePool<MemoryPool>::Delete(&pool);
  return Error::kSuccess;
}

Error AllocateFromPool(MemoryPool& pool, size_t bytes, Stream&,
                       void** address) {
  *address = nullptr;
  if (bytes == 0) return Error::kSuccess;
  size_t block_bytes = RoundToBlock(bytes);
  {
    const std::lock_guard lock(pool.mutex);
    const size_t wanted = block_bytes;
    void* block = TakeFreeBlock(pool, wanted, &block_bytes);
    if (block == nullptr) block = NewBlock(pool, block_bytes);
    if (block == nullptr) return Error::kOutOfMemory;
    pool.used_bytes += block_bytes;
    pool.used_high = std::max(pool.used_high, pool.used_bytes);
    *address = block;
  }
  AddAllocation({.base = reinterpret_cast<uintptr_t>(*address),
                 .bytes = block_bytes,
                 .kind = MemoryKind::kDevice,
                 .owner = MemoryOwner::kPool,
                 .device = pool.device->ordinal,
                 .pool = &pool});
  return Error::kSuccess;
}

Error FreeToPool(void* address, Stream&) {
  if (address == nullptr) return Error::kSuccess;
  const auto found = FindAllocation(address);
  if (!found || reinterpret_cast<void*>(found->base) != address) {
    return Error::kInvalidValue;
  }
  if (found->owner == MemoryOwner::kMalloc) return FreeDevice(address);
  if (found->owner != MemoryOwner::kPool) return Error::kInvalidValue;
  const auto removed = RemoveAllocation(address);
  if (!removed) return Error::kInvalidValue;
  MemoryPool& pool = *removed->pool;
  const std::lock_guard lock(pool.mutex);
  pool.used_bytes -= removed->bytes;
  pool.free_blocks.emplace(removed->bytes, address);
  return Error::kSuccess;
}

void TrimPool(MemoryPool& pool, uint64_t keep) {
  const std::lock_guard lock(pool.mutex);
  ReleaseBlocks(pool, keep);
}

void ApplyReleaseThreshold(Device& device) {
  for (MemoryPool* pool : {device.default_pool, device.current_pool.load()}) {
    const std::lock_guard lock(pool->mutex);
    ReleaseBlocks(*pool, pool->release_threshold);
  }
}

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

}  // namespace dltap::simgpu
