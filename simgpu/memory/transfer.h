// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_TRANSFER_H_
#define DLTAP_SIMGPU_MEMORY_TRANSFER_H_

#include <cstddef>
#include <optional>

#include "simgpu/base/error.h"
#include "simgpu/stream/stream.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// A box of bytes in linear memory.
struct CopyShape {
  size_t width = 0;
  size_t height = 1;
  size_t depth = 1;
  size_t destination_pitch = 0;
  size_t source_pitch = 0;
  size_t destination_slice = 0;
  size_t source_slice = 0;
};

inline CopyShape Linear(size_t bytes) {
  return {.width = bytes,
          .height = 1,
          .depth = 1,
          .destination_pitch = bytes,
          .source_pitch = bytes,
          .destination_slice = bytes,
          .source_slice = bytes};
}

// The copy, its direction found by the address map. `claimed` is what the
// caller says (cudaMemcpyKind); kInvalidValue when it contradicts the map or an
// end lies outside its allocation, kInvalidPitch when rows overlap.
Error MakeCopy(void* destination, const void* source, const CopyShape& shape,
               std::optional<CopyDirection> claimed, CopyWork* copy);

// Async: returns as the runtime's asynchronous functions do: at once, but for
// copies from and to pageable memory, which are staged (a host-to-device copy
// returns when its bytes have been read, a device-to-host copy when it is
// over).
Error CopyAsync(Stream& stream, CopyWork copy);

// Synchronous functions: return when the copy is over, except device-to-device
// copies and small pageable uploads, which CUDA documents not to wait for.
Error CopySync(Stream& stream, CopyWork copy);

Error MakeMemset(void* destination, uint32_t value, uint32_t element_bytes,
                 size_t width, size_t height, size_t pitch, MemsetWork* set);
Error FillAsync(Stream& stream, MemsetWork set);
Error FillSync(Stream& stream, MemsetWork set);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_TRANSFER_H_
