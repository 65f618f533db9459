// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "simgpu/base/error.h"
#include "simgpu/memory/pool_state.h"

namespace dltap::simgpu {

struct Device;
struct Stream;

// Where memory may lie and of which type, numbered as cudaMemLocation and
// cudaMemAllocationType (CUmemLocation, CUmemAllocationType).
struct PoolPlace {
  int allocation_type = 0;
  int location_type = 0;
  int location_id = 0;
};

// The device and the kind of memory that the place stands for.
Error FindPoolPlace(const PoolPlace& place, PoolProperties* properties);

// The pool that a place has by default, and the one it uses now.
Error DefaultPoolAt(const PoolPlace& place, MemoryPool** pool);
Error CurrentPoolAt(const PoolPlace& place, MemoryPool** pool);
// kInvalidValue when the pool is of another place.
Error SetPoolAt(const PoolPlace& place, MemoryPool& pool);

MemoryPool* NewMemoryPool(const PoolProperties& properties,
                          std::shared_ptr<MemoryFile> imported = nullptr);
Error DestroyMemoryPool(MemoryPool& pool);

// A device's own pool, and the one that its allocations use now.
MemoryPool* DefaultPoolOf(const Device& device);
MemoryPool* CurrentPoolOf(const Device& device);

Error AllocateFromPool(MemoryPool& pool, size_t bytes, Stream& stream,
                       void** address);

// Gives memory of any pool or of cudaMalloc back in stream order.
Error FreeToPool(void* address, Stream& stream);

// Returns free blocks to the device until at most `keep` bytes stay reserved.
void TrimPool(MemoryPool& pool, uint64_t keep);

// Numbered as cudaMemPoolAttr and CUmemPool_attribute. `value` points to an int
// (reuse flags) or to a uint64_t.
Error GetPoolAttribute(MemoryPool& pool, int attribute, void* value);
Error SetPoolAttribute(MemoryPool& pool, int attribute, const void* value);

// The pool's own device always has access; kInvalidValue to take it away.
Error SetPoolAccess(MemoryPool& pool, int device, Access access);
Error GetPoolAccess(MemoryPool& pool, int device, Access* access);

// A pool in another process: a file descriptor, owned by the receiver, for a
// pool that was made with kPosixDescriptorHandles.
Error ExportPool(const MemoryPool& pool, int* descriptor);
Error ImportPool(int descriptor, MemoryPool** pool);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_
