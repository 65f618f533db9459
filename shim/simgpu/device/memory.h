// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/error.h"

namespace dltap::simgpu {

struct Device;
struct MemoryPool;

// Who may give the memory back, and how.
enum class MemoryOwner : uint8_t {
  kMalloc,      // cudaMalloc, cuMemAlloc, managed
  kPool,        // stream-ordered
  kHostAlloc,   // page-locked, ours
  kRegistered,  // page-locked, the program's
  kMapped,      // cuMemMap: bytes are counted by the physical handle
  kModule,      // a __device__ variable
};

struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kPageable;
  MemoryOwner owner = MemoryOwner::kMalloc;
  int device = 0;
  unsigned flags = 0;
  uint64_t id = 0;  // CU_POINTER_ATTRIBUTE_BUFFER_ID
  MemoryPool* pool = nullptr;

  bool Contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= base && at - base < bytes;
  }
};

// What the address map knows of an address; nullopt: ordinary host memory.
std::optional<Allocation> FindAllocation(const void* address);

// Device memory is anonymous host memory that is committed when touched; only
// its size counts against the device. Zero bytes give a null pointer.
Error AllocateDevice(Device& device, size_t bytes, MemoryKind kind,
                     MemoryOwner owner, void** address);

// Frees what AllocateDevice gave; null is fine. Does not wait for the device.
Error FreeDevice(void* address);

Error AllocateHost(size_t bytes, unsigned flags, void** address);
Error FreeHost(void* address);
Error RegisterHost(void* address, size_t bytes, unsigned flags);
Error UnregisterHost(void* address);

// Enters memory that another part made (mapped, module, pool) into the map.
void AddAllocation(Allocation allocation);
std::optional<Allocation> RemoveAllocation(const void* base);

// Reserves `bytes` of the device's memory; false: it is full.
bool ReserveBytes(Device& device, uint64_t bytes);
void ReleaseBytes(Device& device, uint64_t bytes);

// Lazily committed pages for `bytes`; null when the system refuses.
void* MapPages(size_t bytes);
void UnmapPages(void* address, size_t bytes);
size_t RoundToPages(size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_H_
