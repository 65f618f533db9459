// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/memory.h"

#include "simgpu/base/clock.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/page_segments.h"
#include "simgpu/memory/managed_memory.h"
#include "simgpu/memory/pool_state.h"
#include "simgpu/stream/device_memory.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

// Managed memory may oversubscribe the device.
uint64_t CountedBytes(MemoryKind kind, uint64_t bytes) {
  return kind == MemoryKind::kManaged ? 0 : bytes;
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

uint64_t AddAllocation(Allocation allocation) {
  allocation.id = EnterAllocation(allocation);
  TellClient(allocation, false, allocation.stream_id);
  return allocation.id;
}

std::optional<Allocation> RemoveAllocation(const void* base,
                                           uint32_t stream_id) {
  const auto allocation = EraseAllocation(base);
  if (!allocation) return std::nullopt;
  // An export ends with the memory; that of cuMemCreate has its own end.
  if (allocation->slot != nullptr && allocation->file == MemoryFile::Own() &&
      allocation->owner != MemoryOwner::kMapped) {
    allocation->file->FreeSlot(allocation->slot);
  }
  TellClient(*allocation, true, stream_id);
  return allocation;
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

Error ResetDevice(Device& device) {
  device.sticky_error.store(0);
  const Error error = SynchronizeDevice(device);
  for (void* base : BasesOf(device.ordinal, MemoryOwner::kMalloc)) {
    FreeDevice(base);
  }
  device.peers.store(0);
  if (device.primary_active.exchange(false)) {
    ReleaseBytes(device, device.context_bytes.exchange(0));
  }
  return error;
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
  if (OverlapsAllocation(address, bytes)) {
    return Error::kHostMemoryAlreadyRegistered;
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
