// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_VIRTUAL_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_VIRTUAL_MEMORY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/memory/memory_pool.h"

namespace dltap::simgpu {

struct Device;

// What cuMemCreate is asked for.
struct PhysicalProperties {
  Device* device = nullptr;  // null: host memory
  unsigned handle_types = 0;
  std::array<unsigned char, 64> given{};  // the vendor's, to give back
};

// What cuMemCreate made: a range of a memory file that has no address until it
// is mapped. Two mappings see the same bytes, in other processes as well.
struct PhysicalMemory : Handle {
  static constexpr uint32_t kTag = 0x50485953;  // "PHYS"
  PhysicalMemory(const PhysicalProperties& made_with,
                 std::shared_ptr<MemoryFile> of_file, uint64_t file_offset,
                 size_t size, bool is_import)
      : Handle(kTag),
        properties(made_with),
        file(std::move(of_file)),
        offset(file_offset),
        bytes(size),
        imported(is_import) {}

  const PhysicalProperties properties;
  const std::shared_ptr<MemoryFile> file;
  const uint64_t offset;
  const size_t bytes;
  const bool imported;  // does not count against this process's device
  std::atomic<int> references{1};  // of the handle, and one for each mapping
  // Once another process may have it.
  std::atomic<SharedSlot*> slot{nullptr};
};

constexpr size_t kAllocationGranularity = 2 * 1024 * 1024;

// Sizes and offsets must be multiples of kAllocationGranularity.
Error CreatePhysical(const PhysicalProperties& properties, size_t bytes,
                     PhysicalMemory** memory);
Error ReleasePhysical(PhysicalMemory& memory);

Error ReserveAddresses(size_t bytes, size_t alignment, void** address);
// Just what ReserveAddresses gave, with nothing mapped in it.
Error FreeAddresses(void* address, size_t bytes);

// The reservation that the address lies in; false: none.
bool FindReservation(const void* address, uintptr_t* base, size_t* bytes);

// Into reserved addresses that are free. Nobody has access at first.
Error MapPhysical(void* address, size_t bytes, size_t offset,
                  PhysicalMemory& memory);
Error UnmapPhysical(void* address, size_t bytes);

// Of whole mappings without a gap. The device -1 is the host.
Error SetMappedAccess(void* address, size_t bytes, int device, Access access);
Error GetMappedAccess(const void* address, int device, Access* access);

// The memory mapped at the address, with one more reference; null: none.
PhysicalMemory* RetainMapped(const void* address);

// To another process and back: a file descriptor, owned by the receiver.
// kInvalidValue for memory that was not made for it.
Error ExportPhysical(PhysicalMemory& memory, int* descriptor);
Error ImportPhysical(int descriptor, PhysicalMemory** memory);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_VIRTUAL_MEMORY_H_
