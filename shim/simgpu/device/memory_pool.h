// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_POOL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/handle.h"

namespace dltap::simgpu {

struct Device;
struct Stream;

// A CUmemoryPool / cudaMemPool_t: keeps freed blocks until it is trimmed, or
// until a synchronisation finds more of them than the release threshold.
// Memory effects happen at submission, so a block may be reused at once by any
// stream.
struct MemoryPool : Handle {
  static constexpr uint32_t kTag = 0x504f4f4c;  // "POOL"
  explicit MemoryPool(Device* owner) : Handle(kTag), device(owner) {}

  Device* const device;
  std::mutex mutex;
  std::multimap<size_t, void*> free_blocks;  // by bytes
  uint64_t reserved_bytes = 0;
  uint64_t reserved_high = 0;
  uint64_t used_bytes = 0;
  uint64_t used_high = 0;
  uint64_t release_threshold = 0;
  uint64_t max_bytes = 0;  // 0: no limit of its own
  int reuse_follow_event = 1;
  int reuse_opportunistic = 1;
  int reuse_internal = 1;
};

MemoryPool* NewMemoryPool(Device& device);
Error DestroyMemoryPool(MemoryPool& pool);

Error AllocateFromPool(MemoryPool& pool, size_t bytes, Stream& stream,
                       void** address);

// Gives memory of any pool (or of cudaMalloc) back in stream order.
Error FreeToPool(void* address, Stream& stream);

// Returns free blocks to the device until at most `keep` bytes stay reserved.
void TrimPool(MemoryPool& pool, uint64_t keep);

// What each synchronisation does to every pool of the device.
void ApplyReleaseThreshold(Device& device);

// Numbered as cudaMemPoolAttr and CUmemPool_attribute. `value` points to an int
// (reuse flags) or to a uint64_t.
Error GetPoolAttribute(MemoryPool& pool, int attribute, void* value);
Error SetPoolAttribute(MemoryPool& pool, int attribute, const void* value);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_MEMORY_POOL_H_
