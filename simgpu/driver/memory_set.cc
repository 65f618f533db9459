// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

using Finish = Error (*)(Stream&, MemsetWork);

// The type of the value tells the size of an element.
template <typename Value>
Error Fill(Stream& stream, Finish finish, CUdeviceptr address, Value value,
           size_t width, size_t height = 1, size_t pitch = 0) {
  if (address % sizeof(value) != 0) return Error::kInvalidValue;
  MemsetWork set;
  const Error error = MakeMemset(ToPointer(address), value, sizeof(value),
                                 width, height, pitch, &set);
  return error == Error::kSuccess ? finish(stream, set) : error;
}

}  // namespace

namespace body {

// The four functions for one size of element.
#define SIMGPU_MEMSET(bits, Value)                                            \
  Error MemsetD##bits(CUdeviceptr to, Value value, size_t count,              \
                      Stream& stream) {                                       \
    return Fill(stream, FillSync, to, value, count);                          \
  }                                                                           \
  Error MemsetD##bits##Async(CUdeviceptr to, Value value, size_t count,       \
                             Stream& stream) {                                \
    return Fill(stream, FillAsync, to, value, count);                         \
  }                                                                           \
  Error MemsetD2D##bits(CUdeviceptr to, size_t pitch, Value value,            \
                        size_t width, size_t height, Stream& stream) {        \
    return Fill(stream, FillSync, to, value, width, height, pitch);           \
  }                                                                           \
  Error MemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, Value value,     \
                               size_t width, size_t height, Stream& stream) { \
    return Fill(stream, FillAsync, to, value, width, height, pitch);          \
  }

SIMGPU_MEMSET(8, unsigned char)
SIMGPU_MEMSET(16, unsigned short)
SIMGPU_MEMSET(32, unsigned)
#undef SIMGPU_MEMSET

}  // namespace body
}  // namespace dltap::simgpu
