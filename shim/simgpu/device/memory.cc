// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/memory.h"

#include <sys/mman.h>

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/device.h"
#include "shim/simgpu/device/thread_state.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr uint32_t kNoStream = 0xffffffff;

struct AddressMap {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> by_base;
  uint64_t last_id = 0;
};

AddressMap& Map() {
  static auto* const map = new AddressMap;
  return *map;
}

void TellClient(const Allocation& allocation, bool release) {
  if (!ActivityWanted(kMemoryActivity)) return;
  Device& device = *FindDevice(allocation.device);
  GetActivitySink().OnMemory(
      {.address = allocation.base,
       .bytes = allocation.bytes,
       .kind = allocation.kind,
       .release = release,
       .device_id = static_cast<uint32_t>(allocation.device),
       .context_id = device.primary_context->id,
       .stream_id = kNoStream,
       .correlation_id = CurrentThread().correlation_id,
       .time_ns = SimNow()});
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

void AddAllocation(Allocation allocation) {
  AddressMap& map = Map();
  {
    const std::unique_lock lock(map.mutex);
    allocation.id = ++map.last_id;
    map.by_base[allocation.base] = allocation;
  }
  TellClient(allocation, false);
}

std::optional<Allocation> RemoveAllocation(const void* base) {
  AddressMap& map = Map();
  Allocation allocation;
  {
    const std::unique_lock lock(map.mutex);
    const auto found = map.by_base.find(reinterpret_cast<uintptr_t>(base));
    if (found == map.by_base.end()) return std::nullopt;
    allocation = found->second;
    map.by_base.erase(found);
  }
  TellClient(allocation, true);
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

Error AllocateDevice(Device& device, size_t bytes, MemoryKind kind,
                     MemoryOwner owner, void** address) {
  *address = nullptr;
  if (bytes == 0) return Error::kSuccess;
  const size_t rounded = RoundToPages(bytes);
  if (rounded < bytes || !ReserveBytes(device, rounded)) {
    return Error::kOutOfMemory;
  }
  void* pages = MapPages(rounded);
  if (pages == nullptr) {
    ReleaseBytes(device, rounded);
    return Error::kOutOfMemory;
  }
  AddAllocation({.base = reinterpret_cast<uintptr_t>(pages),
                 .bytes = bytes,
                 .kind = kind,
                 .owner = owner,
                 .device = device.ordinal});
  *address = pages;
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
  UnmapPages(address, removed->bytes);
  ReleaseBytes(*FindDevice(removed->device), RoundToPages(removed->bytes));
  return Error::kSuccess;
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
  if (FindAllocation(address)) return Error::kHostMemoryAlreadyRegistered;
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
