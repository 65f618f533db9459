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

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy2D(cudaStream_t stream, const Request& request) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    Box box{.destination = {},
            .source = {},
            .extent = {.width_bytes = request.width, .height = request.height},
            .kind = request.kind};
    const Error error = ReadEnds(request, &box.destination, &box.source);
    return error == Error::kSuccess ? CopyRows({driver, kMode, stream}, box)
                                    : error;
  });
}

// These functions are deprecated, and the driver has none like them that knows
// of streams.
template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyRun(cudaStream_t handle, const Request& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    CopyEnd to;
    CopyEnd from;
    CopyWork copy;
    Error error = ReadEnds(request, &to, &from);
    if (error == Error::kSuccess) {
      error = MakeRunCopy(to, from, request.width, ToDirection(request.kind),
                          &copy);
    }
    if (error != Error::kSuccess) return error;
    return kMode == Mode::kAsync ? CopyAsync(stream, copy)
                                 : CopySync(stream, copy);
  });
}

constexpr Mode kSync = Mode::kSync;
constexpr Mode kAsync = Mode::kAsync;

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                const void* src, size_t spitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DToArray", kSync>(
      nullptr,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void* src,
                                     size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DToArray_ptds", kSync, kPtsz>(
      nullptr,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void* src,
                                     size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DToArrayAsync", kAsync>(
      stream,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset,
                                          size_t hOffset, const void* src,
                                          size_t spitch, size_t width,
                                          size_t height, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DToArrayAsync_ptsz", kAsync, kPtsz>(
      stream,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch,
                                  cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DFromArray", kSync>(
      nullptr,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArray_ptds(void* dst, size_t dpitch,
                                       cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width,
                                       size_t height, cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DFromArray_ptds", kSync, kPtsz>(
      nullptr,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch,
                                       cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width,
                                       size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DFromArrayAsync", kAsync>(
      stream,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* dst, size_t dpitch,
                                            cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DFromArrayAsync_ptsz", kAsync, kPtsz>(
      stream,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                     size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DArrayToArray", kSync>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), width, height, kind});
}

cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
                                          size_t hOffsetDst,
                                          cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc,
                                          size_t width, size_t height,
                                          cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2DArrayToArray_ptds", kSync, kPtsz>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), width, height, kind});
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                              const void* src, size_t count,
                              cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyToArray", kSync>(
      nullptr, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset,
                                   size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyToArray_ptds", kSync, kPtsz>(
      nullptr, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
                                   size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  return CopyRun<"cudaMemcpyToArrayAsync", kAsync>(
      stream, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset,
                                        size_t hOffset, const void* src,
                                        size_t count, cudaMemcpyKind kind,
                                        cudaStream_t stream) {
  return CopyRun<"cudaMemcpyToArrayAsync_ptsz", kAsync, kPtsz>(
      stream, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src,
                                size_t wOffset, size_t hOffset, size_t count,
                                cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyFromArray", kSync>(
      nullptr, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArray_ptds(void* dst, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset,
                                     size_t count, cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyFromArray_ptds", kSync, kPtsz>(
      nullptr, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset,
                                     size_t count, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return CopyRun<"cudaMemcpyFromArrayAsync", kAsync>(
      stream, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArrayAsync_ptsz(void* dst, cudaArray_const_t src,
                                          size_t wOffset, size_t hOffset,
                                          size_t count, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return CopyRun<"cudaMemcpyFromArrayAsync_ptsz", kAsync, kPtsz>(
      stream, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                   size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyArrayToArray", kSync>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), count, 0, kind});
}

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
                                        size_t hOffsetDst,
                                        cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc,
                                        size_t count, cudaMemcpyKind kind) {
  return CopyRun<"cudaMemcpyArrayToArray_ptds", kSync, kPtsz>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), count, 0, kind});
}
