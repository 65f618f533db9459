// SPDX-License-Identifier: Apache-2.0
// Copies of rows and of runs of bytes to, from and between arrays.
#include "simgpu/memory/array_copy.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/copy_by_driver.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

// An end as the functions are given it: an array's offsets, or a pointer.
struct End {
  cudaArray_const_t array = nullptr;
  size_t x = 0;
  size_t y = 0;
  const void* pointer = nullptr;
  size_t pitch = 0;
};

struct Request {
  End destination;
  End source;
  size_t width;   // bytes of a row, or of the run
  size_t height;  // 0: a run of bytes
  cudaMemcpyKind kind;
};

End In(cudaArray_const_t array, size_t x, size_t y) {
  return {.array = array, .x = x, .y = y};
}

End At(const void* pointer, size_t pitch = 0) {
  return {.pointer = pointer, .pitch = pitch};
}

Error ReadEnd(const End& end, const Request& request, CopyEnd* out) {
  *out = {.pointer = end.pointer,
          .pitch = end.pitch,
          .rows = request.height,
          .array = FindArray(end.array),
          .at = {end.x, end.y, 0}};
  if (out->array != nullptr) return Error::kSuccess;
  if (end.pointer == nullptr) return Error::kInvalidValue;
  // "width must not exceed spitch."
  return request.height != 0 && request.width > end.pitch ? Error::kInvalidPitch
                                                          : Error::kSuccess;
}

Error ReadEnds(const Request& request, CopyEnd* to, CopyEnd* from) {
  if (!IsCopyKind(request.kind)) return Error::kInvalidMemcpyDirection;
  const Error error = ReadEnd(request.destination, request, to);
  return error == Error::kSuccess ? ReadEnd(request.source, request, from)
                                  : error;
}

Error Copy2D(const Lane& lane, const Request& request) {
  Box box{.destination = {},
          .source = {},
          .extent = {.width_bytes = request.width, .height = request.height},
          .kind = request.kind};
  const Error error = ReadEnds(request, &box.destination, &box.source);
  return error == Error::kSuccess ? CopyRows(lane, box) : error;
}

using Finish = Error (*)(Stream&, CopyWork);

// These functions are deprecated, and the driver has none like them that knows
// of streams.
Error CopyRun(Stream& stream, Finish finish, const Request& request) {
  CopyEnd to;
  CopyEnd from;
  CopyWork copy;
  Error error = ReadEnds(request, &to, &from);
  if (error == Error::kSuccess) {
    error =
        MakeRunCopy(to, from, request.width, ToDirection(request.kind), &copy);
  }
  if (error != Error::kSuccess) return error;
  return finish(stream, copy);
}

}  // namespace

namespace body {

Error Memcpy2DToArray(const DriverStreamTable& driver, cudaArray_t dst,
                      size_t wOffset, size_t hOffset, const void* src,
                      size_t spitch, size_t width, size_t height,
                      cudaMemcpyKind kind) {
  return Copy2D(
      {driver, Mode::kSync, nullptr},
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

Error Memcpy2DToArrayAsync(const DriverStreamTable& driver, cudaArray_t dst,
                           size_t wOffset, size_t hOffset, const void* src,
                           size_t spitch, size_t width, size_t height,
                           cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy2D(
      {driver, Mode::kAsync, stream},
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

Error Memcpy2DFromArray(const DriverStreamTable& driver, void* dst,
                        size_t dpitch, cudaArray_const_t src, size_t wOffset,
                        size_t hOffset, size_t width, size_t height,
                        cudaMemcpyKind kind) {
  return Copy2D(
      {driver, Mode::kSync, nullptr},
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

Error Memcpy2DFromArrayAsync(const DriverStreamTable& driver, void* dst,
                             size_t dpitch, cudaArray_const_t src,
                             size_t wOffset, size_t hOffset, size_t width,
                             size_t height, cudaMemcpyKind kind,
                             cudaStream_t stream) {
  return Copy2D(
      {driver, Mode::kAsync, stream},
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

Error Memcpy2DArrayToArray(const DriverStreamTable& driver, cudaArray_t dst,
                           size_t wOffsetDst, size_t hOffsetDst,
                           cudaArray_const_t src, size_t wOffsetSrc,
                           size_t hOffsetSrc, size_t width, size_t height,
                           cudaMemcpyKind kind) {
  return Copy2D({driver, Mode::kSync, nullptr},
                {In(dst, wOffsetDst, hOffsetDst),
                 In(src, wOffsetSrc, hOffsetSrc), width, height, kind});
}

Error MemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                    const void* src, size_t count, cudaMemcpyKind kind,
                    Stream& stream) {
  return CopyRun(stream, CopySync,
                 {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

Error MemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                         const void* src, size_t count, cudaMemcpyKind kind,
                         Stream& stream) {
  return CopyRun(stream, CopyAsync,
                 {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

Error MemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset,
                      size_t hOffset, size_t count, cudaMemcpyKind kind,
                      Stream& stream) {
  return CopyRun(stream, CopySync,
                 {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

Error MemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset,
                           size_t hOffset, size_t count, cudaMemcpyKind kind,
                           Stream& stream) {
  return CopyRun(stream, CopyAsync,
                 {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

Error MemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                         cudaArray_const_t src, size_t wOffsetSrc,
                         size_t hOffsetSrc, size_t count, cudaMemcpyKind kind,
                         Stream& stream) {
  return CopyRun(stream, CopySync,
                 {In(dst, wOffsetDst, hOffsetDst),
                  In(src, wOffsetSrc, hOffsetSrc), count, 0, kind});
}

}  // namespace body
}  // namespace dltap::simgpu
