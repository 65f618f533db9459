// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDART_COPY_BY_DRIVER_H_
#define DLTAP_SIMGPU_CUDART_COPY_BY_DRIVER_H_

#include <cstddef>
#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/cudart/driver_table.h"
#include "simgpu/cudart/memory_box.h"
#include "simgpu/cudart/runtime_header.h"
#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu {

enum class Mode : uint8_t { kSync, kAsync };

// Which functions of the driver copy, and on which stream; kSync has none.
struct Lane {
  const DriverStreamTable& driver;
  Mode mode;
  cudaStream_t stream;
};

struct Line {
  void* destination;
  const void* source;
  size_t bytes;
  cudaMemcpyKind kind;
};

// One call of the driver each.
Error CopyLine(const Lane& lane, const Line& line);
Error CopyRows(const Lane& lane, const Box& box);  // its depth is 1
Error CopyBox(const Lane& lane, const Box& box);
Error CopyBoxBetween(const Lane& lane, const Box& box, CUcontext destination,
                     CUcontext source);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDART_COPY_BY_DRIVER_H_
