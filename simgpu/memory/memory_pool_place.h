// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_POOL_PLACE_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_POOL_PLACE_H_

#include "simgpu/base/error.h"
#include "simgpu/memory/pool_state.h"

namespace dltap::simgpu {

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

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_POOL_PLACE_H_
