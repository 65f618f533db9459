// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/pool_state.h"

#include "simgpu/stream/device_state.h"

namespace dltap::simgpu {

HomePool& HomePoolOf(const Device& device) {
  static constinit std::array<HomePool, kMaxDevices> pools;
  return pools[device.ordinal];
}

PoolFacts FactsOf(MemoryPool& pool) {
  const std::lock_guard lock(pool.mutex);
  return {.address = reinterpret_cast<uint64_t>(&pool),
          .imported = pool.imported != nullptr,
          .managed = pool.properties.kind == MemoryKind::kManaged,
          .size = pool.reserved_bytes,
          .utilized = pool.used_bytes,
          .release_threshold = pool.release_threshold};
}

}  // namespace dltap::simgpu
