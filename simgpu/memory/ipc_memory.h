// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_

#include "simgpu/base/error.h"
#include "simgpu/bytes/shared_memory.h"

namespace dltap::simgpu {

struct MemoryPool;

// Memory of cudaMalloc. The handle is of the whole allocation, wherever in it
// `address` lies, and the same each time.
Error GetMemoryHandle(const void* address, void* handle);

// Maps another process's allocation. Opened again, it has the same address and
// one more reference. kInvalidContext: the handle is of this process;
// kInvalidHandle: it is no handle; kMapFailed: the exporter has freed the
// memory or has ended.
Error OpenMemoryHandle(const void* handle, void** address);
Error CloseMemoryHandle(void* address);

// The same for one allocation of an exported pool, which stays the exporter's.
Error ExportPoolPointer(const void* address, void* data);
Error ImportPoolPointer(MemoryPool& pool, const void* data, void** address);
Error ClosePoolPointer(void* address);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_
