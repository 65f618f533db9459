// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_POOL_STATE_H_
#define DLTAP_SIMGPU_MEMORY_POOL_STATE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "simgpu/base/activity.h"
#include "simgpu/base/handle.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/memory_file.h"
#include "simgpu/bytes/page_segments.h"

namespace dltap::simgpu {

struct Device;

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

// The pool that a place has by default, and the one it uses now.
struct HomePool {
  MemoryPool* original = nullptr;
  std::atomic<MemoryPool*> current{nullptr};
};
HomePool& HomePoolOf(const Device& device);

// For records. Takes the pool's lock.
PoolFacts FactsOf(MemoryPool& pool);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_POOL_STATE_H_
