// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_ARRAY_COPY_H_
#define DLTAP_SIMGPU_MEMORY_ARRAY_COPY_H_

#include <cstddef>
#include <optional>

#include "simgpu/base/error.h"
#include "simgpu/memory/array.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// Where a box begins, `x` in bytes.
struct BoxPosition {
  size_t x = 0;
  size_t y = 0;
  size_t z = 0;
};

struct BoxExtent {
  size_t width_bytes = 0;
  size_t height = 1;
  size_t depth = 1;
};

// One end of a copy: rows in linear memory, or an array.
struct CopyEnd {
  const void* pointer = nullptr;
  size_t pitch = 0;
  size_t rows = 0;  // from one slice to the next
  const Array* array = nullptr;
  BoxPosition at{};
};

// As MakeCopy() of transfer.h, either end being an array. kInvalidValue when
// the box is not inside of it, or cuts its elements.
Error MakeBoxCopy(const CopyEnd& destination, const CopyEnd& source,
                  const BoxExtent& extent, std::optional<CopyDirection> claimed,
                  CopyWork* copy);

// `bytes` from that position on, the rows of the array following one another.
// Linear memory has its rows in one, too.
Error MakeRunCopy(const CopyEnd& destination, const CopyEnd& source,
                  size_t bytes, std::optional<CopyDirection> claimed,
                  CopyWork* copy);

// Where in the array an address inside of it lies.
BoxPosition PositionIn(const Array& array, const std::byte* address);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_ARRAY_COPY_H_
