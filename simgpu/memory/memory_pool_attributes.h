// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_MEMORY_POOL_ATTRIBUTES_H_
#define DLTAP_SIMGPU_MEMORY_MEMORY_POOL_ATTRIBUTES_H_

#include "simgpu/base/error.h"
#include "simgpu/memory/pool_state.h"

namespace dltap::simgpu {

// Numbered as cudaMemPoolAttr and CUmemPool_attribute. `value` points to an int
// (reuse flags) or to a uint64_t.
Error GetPoolAttribute(MemoryPool& pool, int attribute, void* value);
Error SetPoolAttribute(MemoryPool& pool, int attribute, const void* value);

// The pool's own device always has access; kInvalidValue to take it away.
Error SetPoolAccess(MemoryPool& pool, int device, Access access);
Error GetPoolAccess(MemoryPool& pool, int device, Access* access);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_MEMORY_POOL_ATTRIBUTES_H_
