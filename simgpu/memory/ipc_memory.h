// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_
#define DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_

#include <cstddef>

#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct MemoryPool;

// Bytes of cudaIpcMemHandle_t, cudaIpcEventHandle_t and
// cudaMemPoolPtrExportData.
constexpr size_t kIpcHandleBytes = 64;

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

// Memory is shared with another process from now on: the two functions below
// have something to look for.
void NoteSharing();
bool IsAnyShared();

// For the zero rule (memory_effects.h), which knows this process's writes only:
// the bytes were written by another process, as far as can be known.
bool WrittenElsewhere(const void* address, size_t bytes);
// Tells the exporter, when the bytes lie in imported memory.
void TellExporter(const void* address, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_IPC_MEMORY_H_
