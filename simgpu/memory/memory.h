// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simgpu/base/activity.h"
#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct Device;
struct MemoryPool;
struct SharedSlot;
class MemoryFile;

// Who may give the memory back, and how.
enum class MemoryOwner : uint8_t {
  kMalloc,      // cudaMalloc, cuMemAlloc, managed
  kPool,        // stream-ordered
  kGraph,       // of an allocation node
  kHostAlloc,   // page-locked, ours
  kRegistered,  // page-locked, the program's
  kMapped,      // cuMemMap: bytes are counted by the physical handle
  kModule,      // a __device__ variable
  kIpc,         // another process's cudaMalloc, opened here
};

constexpr uint32_t kNoStreamId = 0xffffffff;

struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kPageable;
  MemoryOwner owner = MemoryOwner::kMalloc;
  int device = 0;
  unsigned flags = 0;
  uint64_t id = 0;  // CU_POINTER_ATTRIBUTE_BUFFER_ID
  MemoryPool* pool = nullptr;
  uint32_t stream_id = kNoStreamId;  // in whose order it was allocated
  bool accessible = true;            // false: mapped, but no access was set
  bool sync_memops = false;          // synchronous copies and memsets wait
  // Where its bytes are; null: private pages, not shareable.
  MemoryFile* file = nullptr;
  uint64_t file_offset = 0;
  SharedSlot* slot = nullptr;  // of memory that was exported

  bool Contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= base && at - base < bytes;
  }
};

// What the address map knows of an address; nullopt: ordinary host memory.
std::optional<Allocation> FindAllocation(const void* address);

// True when `bytes` from the address on lie in memory that may be accessed; the
// whole may be several mappings side by side. Memory that the map does not know
// is not judged.
bool IsInBounds(const void* address, size_t bytes);

// True when every page of the range belongs to the process.
bool IsMappedMemory(const void* address, size_t bytes);

// Device memory is a piece of the process's memory file (memory_file.h),
// committed when touched; only its size counts against the device, that of
// managed memory not even that: it may be larger than the device. Zero bytes
// give a null pointer.
Error AllocateDevice(Device& device, size_t bytes, MemoryKind kind,
                     MemoryOwner owner, void** address);

// Frees what AllocateDevice gave; null is fine. Does not wait for the device.
Error FreeDevice(void* address);

// Frees what AllocateDevice has given of the device and is not free yet.
void FreeAllOf(Device& device);

Error AllocateHost(size_t bytes, unsigned flags, void** address);
Error FreeHost(void* address);

// cudaHostRegister. kInvalidValue when the range is not this process's memory;
// kHostMemoryAlreadyRegistered when any of it is known already.
Error RegisterHost(void* address, size_t bytes, unsigned flags);
Error UnregisterHost(void* address);

// Enters memory that another part made (mapped, module, pool) into the map.
// Gives its id.
uint64_t AddAllocation(Allocation allocation);
std::optional<Allocation> RemoveAllocation(const void* base,
                                           uint32_t stream_id = kNoStreamId);

// The allocation that begins at `base` (null: none), the map held meanwhile.
class AllocationLock {
 public:
  explicit AllocationLock(const void* base);
  ~AllocationLock();
  AllocationLock(const AllocationLock&) = delete;
  AllocationLock& operator=(const AllocationLock&) = delete;
  Allocation* allocation() const { return allocation_; }

 private:
  Allocation* allocation_;
};

// Reserves `bytes` of the device's memory; false: it is full.
bool ReserveBytes(Device& device, uint64_t bytes);
// The same for what is no allocation: DLTAP_SIM_FAULTS does not count it.
bool TakeBytes(Device& device, uint64_t bytes);
void ReleaseBytes(Device& device, uint64_t bytes);

// Changes what the map knows of the memory that begins at `base`; false: it
// knows none. `change` gets the Allocation and must leave base and bytes.
template <typename Change>
bool ChangeAllocation(const void* base, Change change) {
  const AllocationLock lock(base);
  if (lock.allocation() == nullptr) return false;
  change(*lock.allocation());
  return true;
}

// Pages of the process's memory file; the address is null when the system
// refuses. `bytes` is a multiple of the page size.
struct DevicePages {
  void* address = nullptr;
  uint64_t offset = 0;
};
DevicePages MapDevicePages(size_t bytes);
void UnmapDevicePages(const DevicePages& pages, size_t bytes);

// Lazily committed private pages for `bytes`; null when the system refuses.
void* MapPages(size_t bytes);
void UnmapPages(void* address, size_t bytes);
size_t RoundToPages(size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_H_
