// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "shim/simgpu/device/device.h"
#include "shim/simgpu/device/memory.h"

namespace dltap::simgpu {
namespace {

struct Mappings {
  std::mutex mutex;
  std::map<uintptr_t, PhysicalMemory*> by_base;
};

Mappings& All() {
  static auto* const mappings = new Mappings;
  return *mappings;
}

bool IsMultiple(size_t bytes) {
  return bytes != 0 && bytes % kAllocationGranularity == 0;
}

// Addresses that nothing may touch.
void* Reserve(void* where, size_t bytes, int extra_flags) {
  void* pages =
      mmap(where, bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | extra_flags, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void DropReference(PhysicalMemory& memory) {
  if (memory.references.fetch_sub(1) != 1) return;
  close(memory.file);
  ReleaseBytes(*memory.device, memory.bytes);
  HandlePool<PhysicalMemory>::Delete(&memory);
}

}  // namespace

Error CreatePhysical(Device& device, size_t bytes, PhysicalMemory** memory) {
  if (!IsMultiple(bytes)) return Error::kInvalidValue;
  if (!ReserveBytes(device, bytes)) return Error::kOutOfMemory;
  const int file = memfd_create("simgpu", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    if (file >= 0) close(file);
    ReleaseBytes(device, bytes);
    return Error::kOutOfMemory;
  }
  *memory = HandlePool<PhysicalMemory>::New(&device, file, bytes);
  return Error::kSuccess;
}

Error ReleasePhysical(PhysicalMemory& memory) {
  DropReference(memory);
  return Error::kSuccess;
}

Error ReserveAddresses(size_t bytes, size_t alignment, void** address) {
  if (!IsMultiple(bytes)) return Error::kInvalidValue;
  if (alignment < kAllocationGranularity) alignment = kAllocationGranularity;
  if ((alignment & (alignment - 1)) != 0) return Error::kInvalidValue;
  void* pages = Reserve(nullptr, bytes + alignment, 0);
  if (pages == nullptr) return Error::kOutOfMemory;
  const auto begin = reinterpret_cast<uintptr_t>(pages);
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned > begin) munmap(pages, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + bytes), begin + alignment - aligned);
  *address = reinterpret_cast<void*>(aligned);
  return Error::kSuccess;
}

Error FreeAddresses(void* address, size_t bytes) {
  if (address == nullptr || !IsMultiple(bytes)) return Error::kInvalidValue;
  munmap(address, bytes);
  return Error::kSuccess;
}

Error MapPhysical(void* address, size_t bytes, size_t offset,
                  PhysicalMemory& memory) {
  if (!IsMultiple(bytes) || offset % kAllocationGranularity != 0 ||
      offset > memory.bytes || bytes > memory.bytes - offset) {
    return Error::kInvalidValue;
  }
  void* pages =
      mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           memory.file, static_cast<off_t>(offset));
  if (pages == MAP_FAILED) return Error::kMapFailed;
  memory.references.fetch_add(1);
  {
    Mappings& all = All();
    const std::lock_guard lock(all.mutex);
    all.by_base[reinterpret_cast<uintptr_t>(address)] = &memory;
  }
  AddAllocation({.base = reinterpret_cast<uintptr_t>(address),
                 .bytes = bytes,
                 .kind = MemoryKind::kDevice,
                 .owner = MemoryOwner::kMapped,
                 .device = memory.device->ordinal});
  return Error::kSuccess;
}

Error UnmapPhysical(void* address, size_t bytes) {
  if (!IsMultiple(bytes)) return Error::kInvalidValue;
  // The range may hold several whole mappings.
  const auto begin = reinterpret_cast<uintptr_t>(address);
  Mappings& all = All();
  const std::lock_guard lock(all.mutex);
  auto at = all.by_base.lower_bound(begin);
  if (at == all.by_base.end() || at->first >= begin + bytes) {
    return Error::kInvalidValue;
  }
  while (at != all.by_base.end() && at->first < begin + bytes) {
    RemoveAllocation(reinterpret_cast<void*>(at->first));
    DropReference(*at->second);
    at = all.by_base.erase(at);
  }
  Reserve(address, bytes, MAP_FIXED);
  return Error::kSuccess;
}

PhysicalMemory* RetainMapped(const void* address) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->owner != MemoryOwner::kMapped) return nullptr;
  Mappings& all = All();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_base.find(allocation->base);
  if (found == all.by_base.end()) return nullptr;
  found->second->references.fetch_add(1);
  return found->second;
}

Error ExportPhysical(const PhysicalMemory& memory, int* file) {
  *file = fcntl(memory.file, F_DUPFD_CLOEXEC, 0);
  return *file < 0 ? Error::kUnknown : Error::kSuccess;
}

Error ImportPhysical(Device& device, int file, PhysicalMemory** memory) {
  struct stat status;
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0 || fstat(own, &status) != 0) {
    if (own >= 0) close(own);
    return Error::kInvalidValue;
  }
  // Counted by the exporting process; here it takes room as well, which is
  // what a device shared by both would show.
  const auto bytes = static_cast<size_t>(status.st_size);
  if (!ReserveBytes(device, bytes)) {
    close(own);
    return Error::kOutOfMemory;
  }
  *memory = HandlePool<PhysicalMemory>::New(&device, own, bytes);
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
