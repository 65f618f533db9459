// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory_pool.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "simgpu/base/atomic_max.h"
#include "simgpu/base/clock.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/shareable_handle.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device_listener.h"
#include "simgpu/stream/device_memory.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/stream.h"
#include "simgpu/stream/timeline.h"

namespace dltap::simgpu {
namespace {

struct Pools {
  std::mutex mutex;  // before a pool's own
  std::vector<MemoryPool*> all;
};

Pools& All() {
  static auto* const pools = new Pools;
  return *pools;
}

bool CountsAgainstDevice(const MemoryPool& pool) {
  return pool.properties.kind == MemoryKind::kDevice;
}

// What a stream would have to wait for before it uses the block (programming
// guide, "Memory reuse policies"). Follow-event is judged by time: a stream
// that cannot run before the block is free may have it.
enum class Reuse : uint8_t { kNo, kAtOnce, kAfterWait };

Reuse ReuseOf(const MemoryPool& pool, const FreeBlock& block, Stream& stream) {
  const bool host_done = HostWorkDone(block.host_ticket);
  if (block.stream_id == stream.id) return Reuse::kAtOnce;
  if (pool.reuse_opportunistic != 0 && host_done &&
      block.ready_ns <= SimNow()) {
    return Reuse::kAtOnce;
  }
  if (pool.reuse_follow_event != 0 && stream.tail_ns.load() >= block.ready_ns &&
      (host_done || stream.host_ticket.load() == block.host_ticket)) {
    return Reuse::kAtOnce;
  }
  return pool.reuse_internal != 0 ? Reuse::kAfterWait : Reuse::kNo;
}

// A cached block that fits without wasting more than half; a null address:
// none. REQUIRES: pool.mutex.
DevicePages TakeFreeBlock(MemoryPool& pool, size_t wanted, Stream& stream,
                          size_t* block_bytes) {
  auto at = pool.free_blocks.lower_bound(wanted);
  for (; at != pool.free_blocks.end() && at->first <= wanted * 2; ++at) {
    const FreeBlock block = at->second;
    const Reuse reuse = ReuseOf(pool, block, stream);
    if (reuse == Reuse::kNo) continue;
    if (reuse == Reuse::kAfterWait) {
      RaiseTo(stream.tail_ns, block.ready_ns);
      FollowHostWork(stream.host_ticket, block.host_ticket);
    }
    *block_bytes = at->first;
    pool.free_blocks.erase(at);
    return block.pages;
  }
  return {};
}

// REQUIRES: pool.mutex.
void ReleaseBlocks(MemoryPool& pool, uint64_t keep) {
  while (pool.reserved_bytes > keep && !pool.free_blocks.empty()) {
    const auto largest = std::prev(pool.free_blocks.end());
    UnmapDevicePages(largest->second.pages, largest->first);
    if (CountsAgainstDevice(pool)) ReleaseBytes(*pool.device, largest->first);
    pool.reserved_bytes -= largest->first;
    pool.free_blocks.erase(largest);
  }
}

// REQUIRES: pool.mutex.
bool ReserveBlock(MemoryPool& pool, size_t bytes) {
  const uint64_t limit = pool.properties.max_bytes;
  if (limit != 0 && pool.reserved_bytes + bytes > limit) {
    ReleaseBlocks(pool, bytes < limit ? limit - bytes : 0);
    if (pool.reserved_bytes + bytes > limit) return false;
  }
  if (!CountsAgainstDevice(pool) || ReserveBytes(*pool.device, bytes)) {
    return true;
  }
  ReleaseBlocks(pool, 0);  // the device is full: cached blocks must go
  return ReserveBytes(*pool.device, bytes);
}

// REQUIRES: pool.mutex.
DevicePages NewBlock(MemoryPool& pool, size_t bytes) {
  if (!ReserveBlock(pool, bytes)) return {};
  const DevicePages pages = MapDevicePages(bytes);
  if (pages.address == nullptr) {
    if (CountsAgainstDevice(pool)) ReleaseBytes(*pool.device, bytes);
    return {};
  }
  pool.reserved_bytes += bytes;
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved_bytes);
  return pages;
}

void TellPool(MemoryPool& pool, PoolOperation operation, uint64_t keep = 0) {
  if (!ActivityWanted(kPoolActivity)) return;
  GetActivitySink().OnPool(
      {.operation = operation,
       .facts = FactsOf(pool),
       .min_bytes_to_keep = keep,
       .device_id = static_cast<uint32_t>(pool.device->ordinal),
       .correlation_id = CurrentThread().correlation_id,
       .time_ns = SimNow()});
}

// REQUIRES: nobody can find the pool any more.
void DeletePool(MemoryPool& pool) {
  {
    const std::lock_guard lock(pool.mutex);
    ReleaseBlocks(pool, 0);
  }
  HandlePool<MemoryPool>::Delete(&pool);
}

// True when the pool has to go with this block.
bool ReturnBlock(MemoryPool& pool, const Allocation& freed, Stream& stream) {
  const std::lock_guard lock(pool.mutex);
  pool.used_bytes -= freed.bytes;
  pool.free_blocks.emplace(
      freed.bytes,
      FreeBlock{{reinterpret_cast<void*>(freed.base), freed.file_offset},
                stream.id,
                StreamTail(stream),
                HostTicketBefore(stream)});
  return pool.destroyed && pool.used_bytes == 0;
}

void MakePool(Device& device) {
  HomePool& home = HomePoolOf(device);
  home.original = NewMemoryPool({.device = &device});
  home.current = home.original;
}

void ApplyReleaseThreshold(Device& device) {
  const std::lock_guard lock(All().mutex);
  for (MemoryPool* pool : All().all) {
    if (pool->device != &device) continue;
    const std::lock_guard pool_lock(pool->mutex);
    ReleaseBlocks(*pool, pool->release_threshold);
  }
}

}  // namespace

MemoryPool* NewMemoryPool(const PoolProperties& properties,
                          std::shared_ptr<MemoryFile> imported) {
  auto* pool = HandlePool<MemoryPool>::New(properties);
  pool->imported = std::move(imported);
  {
    const std::lock_guard lock(All().mutex);
    All().all.push_back(pool);
  }
  TellPool(*pool, PoolOperation::kCreated);
  return pool;
}

Error DestroyMemoryPool(MemoryPool& pool) {
  HomePool& home = HomePoolOf(*pool.device);
  if (&pool == home.original) return Error::kInvalidValue;
  TellPool(pool, PoolOperation::kDestroyed);
  MemoryPool* expected = &pool;
  home.current.compare_exchange_strong(expected, home.original);
  {
    const std::lock_guard lock(All().mutex);
    std::erase(All().all, &pool);
  }
  bool in_use = false;
  {
    const std::lock_guard lock(pool.mutex);
    in_use = pool.used_bytes != 0;
    pool.destroyed = in_use;
    pool.tag = 0;  // the handle is dead, what was allocated is not
  }
  if (!in_use) DeletePool(pool);
  return Error::kSuccess;
}

Error AllocateFromPool(MemoryPool& pool, size_t bytes, Stream& stream,
                       void** address) {
  *address = nullptr;
  if (pool.imported != nullptr) return Error::kInvalidValue;
  if (bytes == 0) return Error::kSuccess;
  size_t block_bytes = RoundToPages(bytes);
  if (block_bytes < bytes) return Error::kOutOfMemory;
  DevicePages pages;
  {
    const std::lock_guard lock(pool.mutex);
    const size_t wanted = block_bytes;
    pages = TakeFreeBlock(pool, wanted, stream, &block_bytes);
    if (pages.address == nullptr) pages = NewBlock(pool, block_bytes);
    if (pages.address == nullptr) return Error::kOutOfMemory;
    pool.used_bytes += block_bytes;
    pool.used_high = std::max(pool.used_high, pool.used_bytes);
  }
  // Whoever had the block before may not come before this stream's work.
  MarkStale(pages.address, block_bytes);
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages.address),
                 .bytes = block_bytes,
                 .kind = pool.properties.kind,
                 .owner = MemoryOwner::kPool,
                 .device = pool.device->ordinal,
                 .pool = &pool,
                 .stream_id = stream.id,
                 .file = MemoryFile::Own(),
                 .file_offset = pages.offset});
  *address = pages.address;
  return Error::kSuccess;
}

Error FreeToPool(void* address, Stream& stream) {
  if (address == nullptr) return Error::kSuccess;
  const auto found = FindAllocation(address);
  if (!found || reinterpret_cast<void*>(found->base) != address) {
    return Error::kInvalidValue;
  }
  if (found->owner == MemoryOwner::kMalloc) return FreeDevice(address);
  if (found->owner != MemoryOwner::kPool) return Error::kInvalidValue;
  if (found->pool->imported != nullptr) return ClosePoolPointer(address);
  const auto removed = RemoveAllocation(address, stream.id);
  if (!removed) return Error::kInvalidValue;
  if (ReturnBlock(*removed->pool, *removed, stream)) DeletePool(*removed->pool);
  return Error::kSuccess;
}

void TrimPool(MemoryPool& pool, uint64_t keep) {
  {
    const std::lock_guard lock(pool.mutex);
    ReleaseBlocks(pool, keep);
  }
  TellPool(pool, PoolOperation::kTrimmed, keep);
}

MemoryPool* DefaultPoolOf(const Device& device) {
  return HomePoolOf(device).original;
}

MemoryPool* CurrentPoolOf(const Device& device) {
  return HomePoolOf(device).current.load();
}

constinit const DeviceListener kDeviceListener{
    .made = MakePool,
    .synchronized = ApplyReleaseThreshold,
};

Error ExportPool(const MemoryPool& pool, int* descriptor) {
  if ((pool.properties.handle_types & kPosixDescriptorHandles) == 0) {
    return Error::kInvalidValue;
  }
  MemoryFile* file = MemoryFile::Own();
  if (file == nullptr) return Error::kOutOfMemory;
  *descriptor = MakeShareable({.magic = kPoolRecord,
                               .device = pool.device->ordinal,
                               .exporter = getpid()},
                              *file);
  return *descriptor < 0 ? Error::kOutOfMemory : Error::kSuccess;
}

Error ImportPool(int descriptor, MemoryPool** pool) {
  ShareableRecord record;
  auto file = ReadShareable(descriptor, kPoolRecord, &record);
  if (file == nullptr) return Error::kInvalidValue;
  Device* device = FindDevice(record.device);
  if (device == nullptr) return Error::kInvalidDevice;
  *pool = NewMemoryPool({.device = device}, std::move(file));
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
