// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_SHARED_MEMORY_H_
#define DLTAP_SIMGPU_BYTES_SHARED_MEMORY_H_

#include <cstddef>

namespace dltap::simgpu {

// Bytes of cudaIpcMemHandle_t, cudaIpcEventHandle_t and
// cudaMemPoolPtrExportData.
constexpr size_t kIpcHandleBytes = 64;

// Memory is shared with another process from now on: the two functions below
// have something to look for.
void NoteSharing();
bool IsAnyShared();

// For the zero rule (stream/memory_effects.h), which sees the writes of this
// process only: the bytes were written by another one, as far as can be known.
bool WrittenElsewhere(const void* address, size_t bytes);
// Tells the exporter, when the bytes lie in imported memory.
void TellExporter(const void* address, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_SHARED_MEMORY_H_
