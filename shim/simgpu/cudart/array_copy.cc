// SPDX-License-Identifier: Apache-2.0
// Copies of rows and of runs of bytes to, from and between arrays.
#include "shim/simgpu/device/array_copy.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/transfer.h"

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

Error MakeArrayCopy(const Request& request, bool rows, CopyWork* copy) {
  if (!IsCopyKind(request.kind)) return Error::kInvalidMemcpyDirection;
  CopyEnd to;
  CopyEnd from;
  Error error = ReadEnd(request.destination, request, &to);
  if (error != Error::kSuccess) return error;
  error = ReadEnd(request.source, request, &from);
  if (error != Error::kSuccess) return error;
  const auto direction = ToDirection(request.kind);
  return rows ? MakeBoxCopy(to, from,
                            {.width_bytes = request.width,
                             .height = request.height,
                             .depth = 1},
                            direction, copy)
              : MakeRunCopy(to, from, request.width, direction, copy);
}

using Finish = Error (*)(Stream&, CopyWork);
enum class Form : bool { kRun, kRows };

template <ApiName kName, Form kForm, Finish kFinish,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy(cudaStream_t handle, const Request& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    CopyWork copy;
    const Error error = MakeArrayCopy(request, kForm == Form::kRows, &copy);
    return error == Error::kSuccess ? kFinish(stream, copy) : error;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                const void* src, size_t spitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DToArray", Form::kRows, CopySync>(
      nullptr,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void* src,
                                     size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DToArray_ptds", Form::kRows, CopySync, kPtsz>(
      nullptr,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void* src,
                                     size_t spitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy<"cudaMemcpy2DToArrayAsync", Form::kRows, CopyAsync>(
      stream,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset,
                                          size_t hOffset, const void* src,
                                          size_t spitch, size_t width,
                                          size_t height, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return Copy<"cudaMemcpy2DToArrayAsync_ptsz", Form::kRows, CopyAsync, kPtsz>(
      stream,
      {In(dst, wOffset, hOffset), At(src, spitch), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t dpitch,
                                  cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DFromArray", Form::kRows, CopySync>(
      nullptr,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArray_ptds(void* dst, size_t dpitch,
                                       cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width,
                                       size_t height, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DFromArray_ptds", Form::kRows, CopySync, kPtsz>(
      nullptr,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch,
                                       cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width,
                                       size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return Copy<"cudaMemcpy2DFromArrayAsync", Form::kRows, CopyAsync>(
      stream,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* dst, size_t dpitch,
                                            cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  return Copy<"cudaMemcpy2DFromArrayAsync_ptsz", Form::kRows, CopyAsync, kPtsz>(
      stream,
      {At(dst, dpitch), In(src, wOffset, hOffset), width, height, kind});
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                     size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DArrayToArray", Form::kRows, CopySync>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), width, height, kind});
}

cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
                                          size_t hOffsetDst,
                                          cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc,
                                          size_t width, size_t height,
                                          cudaMemcpyKind kind) {
  return Copy<"cudaMemcpy2DArrayToArray_ptds", Form::kRows, CopySync, kPtsz>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), width, height, kind});
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                              const void* src, size_t count,
                              cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyToArray", Form::kRun, CopySync>(
      nullptr, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset,
                                   size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyToArray_ptds", Form::kRun, CopySync, kPtsz>(
      nullptr, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
                                   size_t hOffset, const void* src,
                                   size_t count, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  return Copy<"cudaMemcpyToArrayAsync", Form::kRun, CopyAsync>(
      stream, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset,
                                        size_t hOffset, const void* src,
                                        size_t count, cudaMemcpyKind kind,
                                        cudaStream_t stream) {
  return Copy<"cudaMemcpyToArrayAsync_ptsz", Form::kRun, CopyAsync, kPtsz>(
      stream, {In(dst, wOffset, hOffset), At(src), count, 0, kind});
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src,
                                size_t wOffset, size_t hOffset, size_t count,
                                cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyFromArray", Form::kRun, CopySync>(
      nullptr, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArray_ptds(void* dst, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset,
                                     size_t count, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyFromArray_ptds", Form::kRun, CopySync, kPtsz>(
      nullptr, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset,
                                     size_t count, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return Copy<"cudaMemcpyFromArrayAsync", Form::kRun, CopyAsync>(
      stream, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyFromArrayAsync_ptsz(void* dst, cudaArray_const_t src,
                                          size_t wOffset, size_t hOffset,
                                          size_t count, cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return Copy<"cudaMemcpyFromArrayAsync_ptsz", Form::kRun, CopyAsync, kPtsz>(
      stream, {At(dst), In(src, wOffset, hOffset), count, 0, kind});
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                   size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyArrayToArray", Form::kRun, CopySync>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), count, 0, kind});
}

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst,
                                        size_t hOffsetDst,
                                        cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc,
                                        size_t count, cudaMemcpyKind kind) {
  return Copy<"cudaMemcpyArrayToArray_ptds", Form::kRun, CopySync, kPtsz>(
      nullptr, {In(dst, wOffsetDst, hOffsetDst),
                In(src, wOffsetSrc, hOffsetSrc), count, 0, kind});
}
