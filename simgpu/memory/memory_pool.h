// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "simgpu/base/activity.h"
#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/memory/memory.h"

namespace dltap::simgpu {

struct Device;
struct Stream;

// Numbered as cudaMemAccessFlags and CUmemAccess_flags.
enum class Access : uint8_t { kNone = 0, kRead = 1, kReadWrite = 3 };

// Numbered as cudaMemAllocationHandleType.
constexpr unsigned kPosixDescriptorHandles = 1;

// What a pool is made with.
struct PoolProperties {
  Device* device = nullptr;               // for host memory: the first one
  MemoryKind kind = MemoryKind::kDevice;  // or kPinned, kManaged
  uint64_t max_bytes = 0;                 // 0: no limit of its own
  unsigned handle_types = 0;
};

// A block that was freed in stream order: when, and in which stream.
struct FreeBlock {
  DevicePages pages;
  uint32_t stream_id = 0;
  int64_t ready_ns = 0;
  uint64_t host_ticket = 0;
};

// A CUmemoryPool / cudaMemPool_t: keeps freed blocks until it is trimmed, or
// until a synchronisation finds more of them than the release threshold.
struct MemoryPool : Handle {
  static constexpr uint32_t kTag = 0x504f4f4c;  // "POOL"
  explicit MemoryPool(const PoolProperties& made_with)
      : Handle(kTag), properties(made_with), device(made_with.device) {}

  const PoolProperties properties;
  Device* const device;
  // Another process's memory, when imported: such a pool gives no new memory.
  std::shared_ptr<MemoryFile> imported;

  std::mutex mutex;                              // guards what follows
  std::multimap<size_t, FreeBlock> free_blocks;  // by bytes
  std::array<Access, kMaxDevices> access{};      // of the other devices
  uint64_t reserved_bytes = 0;
  uint64_t reserved_high = 0;
  uint64_t used_bytes = 0;
  uint64_t used_high = 0;
  uint64_t release_threshold = 0;
  int reuse_follow_event = 1;
  int reuse_opportunistic = 1;
  int reuse_internal = 1;
  bool destroyed = false;  // goes when its last allocation is freed
};

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

// For records. Takes the pool's lock.
PoolFacts FactsOf(MemoryPool& pool);

MemoryPool* NewMemoryPool(const PoolProperties& properties,
                          std::shared_ptr<MemoryFile> imported = nullptr);
Error DestroyMemoryPool(MemoryPool& pool);

Error AllocateFromPool(MemoryPool& pool, size_t bytes, Stream& stream,
                       void** address);

// Gives memory of any pool, graph or of cudaMalloc back in stream order.
Error FreeToPool(void* address, Stream& stream);

// Returns free blocks to the device until at most `keep` bytes stay reserved.
void TrimPool(MemoryPool& pool, uint64_t keep);

// What each synchronisation does to every pool of the device.
void ApplyReleaseThreshold(Device& device);

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
