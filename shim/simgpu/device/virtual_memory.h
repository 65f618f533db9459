// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_VIRTUAL_MEMORY_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_VIRTUAL_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/handle.h"

namespace dltap::simgpu {

struct Device;

// What cuMemCreate made: memory that has no address until it is mapped. Backed
// by an anonymous file, so that two mappings see the same bytes and the handle
// can be passed to another process.
struct PhysicalMemory : Handle {
  static constexpr uint32_t kTag = 0x50485953;  // "PHYS"
  PhysicalMemory(Device* owner, int descriptor, size_t size)
      : Handle(kTag), device(owner), file(descriptor), bytes(size) {}
  Device* const device;
  const int file;
  const size_t bytes;
  std::atomic<int> references{1};  // of the handle, and one for each mapping
};

constexpr size_t kAllocationGranularity = 2 * 1024 * 1024;

// Sizes and offsets must be multiples of kAllocationGranularity.
Error CreatePhysical(Device& device, size_t bytes, PhysicalMemory** memory);
Error ReleasePhysical(PhysicalMemory& memory);
Error ReserveAddresses(size_t bytes, size_t alignment, void** address);
Error FreeAddresses(void* address, size_t bytes);
Error MapPhysical(void* address, size_t bytes, size_t offset,
                  PhysicalMemory& memory);
Error UnmapPhysical(void* address, size_t bytes);

// The memory mapped at the address, with one more reference; null: none.
PhysicalMemory* RetainMapped(const void* address);

// To another process and back: a file descriptor, owned by the receiver.
Error ExportPhysical(const PhysicalMemory& memory, int* file);
Error ImportPhysical(Device& device, int file, PhysicalMemory** memory);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_VIRTUAL_MEMORY_H_
