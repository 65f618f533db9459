// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_ADDRESS_MAP_H_
#define DLTAP_SIMGPU_BYTES_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simgpu/base/activity.h"

namespace dltap::simgpu {

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

// True when any of the bytes lies in memory that the map knows.
bool OverlapsAllocation(const void* address, size_t bytes);

// Where the device's allocations of this owner begin.
std::vector<void*> BasesOf(int device, MemoryOwner owner);

// The map alone; memory/memory.h also tells the activity client. Gives the
// allocation's id.
uint64_t EnterAllocation(Allocation allocation);
std::optional<Allocation> EraseAllocation(const void* base);

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

// Changes what the map knows of the memory that begins at `base`; false: it
// knows none. `change` gets the Allocation and must leave base and bytes.
template <typename Change>
bool ChangeAllocation(const void* base, Change change) {
  const AllocationLock lock(base);
  if (lock.allocation() == nullptr) return false;
  change(*lock.allocation());
  return true;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_ADDRESS_MAP_H_
