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

// A pool in another process: a file descriptor, owned by the receiver, for a
// pool that was made with kPosixDescriptorHandles.
Error ExportPool(const MemoryPool& pool, int* descriptor);
Error ImportPool(int descriptor, MemoryPool** pool);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_
