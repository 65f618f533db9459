// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory.h"

#include <sys/mman.h>

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "simgpu/base/clock.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/page_segments.h"
#include "simgpu/memory/managed_memory.h"
#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPageBytes = 4096;

struct AddressMap {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> by_base;
  uint64_t last_id = 0;
};

AddressMap& Map() {
  static auto* const map = new AddressMap;
  return *map;
}

// Managed memory may oversubscribe the device.
uint64_t CountedBytes(MemoryKind kind, uint64_t bytes) {
  return kind == MemoryKind::kManaged ? 0 : bytes;
}

// REQUIRES: map.mutex.
bool Overlaps(const AddressMap& map, uintptr_t begin, size_t bytes) {
  const auto next = map.by_base.lower_bound(begin);
  if (next != map.by_base.end() && next->first - begin < bytes) return true;
  if (next == map.by_base.begin()) return false;
  const Allocation& before = std::prev(next)->second;
  return begin - before.base < before.bytes;
}

void TellClient(const Allocation& allocation, bool release,
                uint32_t stream_id) {
  if (!ActivityWanted(kMemoryActivity)) return;
  Device& device = *FindDevice(allocation.device);
  PoolFacts pool{};
  if (allocation.pool != nullptr) pool = FactsOf(*allocation.pool);
  GetActivitySink().OnMemory(
      {.address = allocation.base,
       .bytes = allocation.bytes,
       .kind = allocation.kind,
       .release = release,
       .device_id = static_cast<uint32_t>(allocation.device),
       .context_id = device.primary_context->id,
       .stream_id = stream_id,
       .correlation_id = CurrentThread().correlation_id,
       .time_ns = SimNow(),
       .pool = allocation.pool == nullptr ? nullptr : &pool});
}

}  // namespace

size_t RoundToPages(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

void* MapPages(size_t bytes) {
  void* pages = mmap(nullptr, RoundToPages(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void UnmapPages(void* address, size_t bytes) {
  munmap(address, RoundToPages(bytes));
}

bool ReserveBytes(Device& device, uint64_t bytes) {
  Fault* fault = FaultAt(FaultPoint::kMemory);
  if (fault != nullptr && fault->Next() != nullptr) [[unlikely]]
    return false;
  return TakeBytes(device, bytes);
}

bool TakeBytes(Device& device, uint64_t bytes) {
  uint64_t used = device.used_bytes.load(std::memory_order_relaxed);
  do {
    if (bytes > device.memory_bytes || used > device.memory_bytes - bytes) {
      return false;
    }
  } while (!device.used_bytes.compare_exchange_weak(used, used + bytes));
  return true;
}

void ReleaseBytes(Device& device, uint64_t bytes) {
  device.used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

uint64_t AddAllocation(Allocation allocation) {
  AddressMap& map = Map();
  {
    const std::unique_lock lock(map.mutex);
    allocation.id = ++map.last_id;
    map.by_base[allocation.base] = allocation;
  }
  TellClient(allocation, false, allocation.stream_id);
  return allocation.id;
}

AllocationLock::AllocationLock(const void* base) : allocation_(nullptr) {
  AddressMap& map = Map();
  map.mutex.lock();
  const auto found = map.by_base.find(reinterpret_cast<uintptr_t>(base));
  if (found != map.by_base.end()) allocation_ = &found->second;
}

AllocationLock::~AllocationLock() { Map().mutex.unlock(); }

std::optional<Allocation> RemoveAllocation(const void* base,
                                           uint32_t stream_id) {
  AddressMap& map = Map();
  Allocation allocation;
  {
    const std::unique_lock lock(map.mutex);
    const auto found = map.by_base.find(reinterpret_cast<uintptr_t>(base));
    if (found == map.by_base.end()) return std::nullopt;
    allocation = found->second;
    map.by_base.erase(found);
  }
  // An export ends with the memory; that of cuMemCreate has its own end.
  if (allocation.slot != nullptr && allocation.file == MemoryFile::Own() &&
      allocation.owner != MemoryOwner::kMapped) {
    allocation.file->FreeSlot(allocation.slot);
  }
  TellClient(allocation, true, stream_id);
  return allocation;
}

std::optional<Allocation> FindAllocation(const void* address) {
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  auto next = map.by_base.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (next == map.by_base.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (!allocation.Contains(address)) return std::nullopt;
  return allocation;
}

bool IsMappedMemory(const void* address, size_t bytes) {
  if (IsInSegment(address)) return false;  // the devices', freed or not
  return ArePagesMapped(address, bytes);
}

bool IsInBounds(const void* address, size_t bytes) {
  AddressMap& map = Map();
  const std::shared_lock lock(map.mutex);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  auto at = map.by_base.upper_bound(begin);
  if (at == map.by_base.begin()) return true;
  --at;
  if (!at->second.Contains(address)) return true;
  uintptr_t end = at->first;
  for (; at != map.by_base.end() && at->first == end; ++at) {
    if (!at->second.accessible) return false;
    end += at->second.bytes;
    if (bytes <= end - begin) return true;
    if (at->second.owner != MemoryOwner::kMapped) return false;
  }
  return false;
}

Error AllocateDevice(Device& device, size_t bytes, MemoryKind kind,
                     MemoryOwner owner, void** address) {
  *address = nullptr;
  if (bytes == 0) return Error::kSuccess;
  const size_t rounded = RoundToPages(bytes);
  const uint64_t counted = CountedBytes(kind, rounded);
  if (rounded < bytes || !ReserveBytes(device, counted)) {
    return Error::kOutOfMemory;
  }
  const DevicePages pages = MapDevicePages(rounded);
  if (pages.address == nullptr) {
    ReleaseBytes(device, counted);
    return Error::kOutOfMemory;
  }
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages.address),
                 .bytes = bytes,
                 .kind = kind,
                 .owner = owner,
                 .device = device.ordinal,
                 .file = MemoryFile::Own(),
                 .file_offset = pages.offset});
  *address = pages.address;
  return Error::kSuccess;
}

Error FreeDevice(void* address) {
  if (address == nullptr) return Error::kSuccess;
  const auto found = FindAllocation(address);
  if (!found || reinterpret_cast<void*>(found->base) != address ||
      found->owner != MemoryOwner::kMalloc) {
    return Error::kInvalidValue;
  }
  const auto removed = RemoveAllocation(address);
  if (!removed) return Error::kInvalidValue;  // another thread was faster
  if (removed->kind == MemoryKind::kManaged) ForgetManaged(removed->id);
  const size_t rounded = RoundToPages(removed->bytes);
  UnmapDevicePages({address, removed->file_offset}, rounded);
  ReleaseBytes(*FindDevice(removed->device),
               CountedBytes(removed->kind, rounded));
  return Error::kSuccess;
}

void FreeAllOf(Device& device) {
  std::vector<uintptr_t> bases;
  {
    AddressMap& map = Map();
    const std::shared_lock lock(map.mutex);
    for (const auto& [base, allocation] : map.by_base) {
      if (allocation.owner == MemoryOwner::kMalloc &&
          allocation.device == device.ordinal) {
        bases.push_back(base);
      }
    }
  }
  for (const uintptr_t base : bases) FreeDevice(reinterpret_cast<void*>(base));
}

Error AllocateHost(size_t bytes, unsigned flags, void** address) {
  *address = nullptr;
  if (bytes == 0) return Error::kSuccess;
  void* pages = MapPages(bytes);
  if (pages == nullptr) return Error::kOutOfMemory;
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages),
                 .bytes = bytes,
                 .kind = MemoryKind::kPinned,
                 .owner = MemoryOwner::kHostAlloc,
                 .device = CurrentThread().device,
                 .flags = flags});
  *address = pages;
  return Error::kSuccess;
}

Error FreeHost(void* address) {
  if (address == nullptr) return Error::kSuccess;
  const auto found = FindAllocation(address);
  if (!found || reinterpret_cast<void*>(found->base) != address ||
      found->owner != MemoryOwner::kHostAlloc) {
    return Error::kInvalidValue;
  }
  const auto removed = RemoveAllocation(address);
  if (!removed) return Error::kInvalidValue;
  UnmapPages(address, removed->bytes);
  return Error::kSuccess;
}

Error RegisterHost(void* address, size_t bytes, unsigned flags) {
  if (address == nullptr || bytes == 0) return Error::kInvalidValue;
  {
    AddressMap& map = Map();
    const std::shared_lock lock(map.mutex);
    if (Overlaps(map, reinterpret_cast<uintptr_t>(address), bytes)) {
      return Error::kHostMemoryAlreadyRegistered;
    }
  }
  if (!IsMappedMemory(address, bytes)) return Error::kInvalidValue;
  AddAllocation({.base = reinterpret_cast<uintptr_t>(address),
                 .bytes = bytes,
                 .kind = MemoryKind::kPinned,
                 .owner = MemoryOwner::kRegistered,
                 .device = CurrentThread().device,
                 .flags = flags});
  return Error::kSuccess;
}

Error UnregisterHost(void* address) {
  const auto found = FindAllocation(address);
  if (!found || reinterpret_cast<void*>(found->base) != address ||
      found->owner != MemoryOwner::kRegistered) {
    return Error::kHostMemoryNotRegistered;
  }
  return RemoveAllocation(address) ? Error::kSuccess
                                   : Error::kHostMemoryNotRegistered;
}

}  // namespace dltap::simgpu
