// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/device_variables.h"
#include "shim/simgpu/cudart/memory_box.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/transfer.h"

namespace dltap::simgpu {
namespace {

enum class Mode : uint8_t { kSync, kAsync };

struct Box {
  void* destination;
  const void* source;
  CopyShape shape;
  cudaMemcpyKind kind;
};

Error RunCopy(Stream& stream, Mode mode, const CopyWork& copy) {
  return mode == Mode::kAsync ? CopyAsync(stream, copy)
                              : CopySync(stream, copy);
}

Error MakeBox(const Box& box, CopyWork* copy) {
  if (!IsCopyKind(box.kind)) return Error::kInvalidMemcpyDirection;
  return MakeCopy(box.destination, box.source, box.shape, ToDirection(box.kind),
                  copy);
}

Error Run(Stream& stream, Mode mode, const Box& box) {
  CopyWork copy;
  const Error error = MakeBox(box, &copy);
  return error == Error::kSuccess ? RunCopy(stream, mode, copy) : error;
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBox(cudaStream_t handle, const Box& box) {
  return OnStream<kName, kNull>(
      handle, [&](Stream& stream) { return Run(stream, kMode, box); });
}

// Rows have a pitch even when there is only one.
template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyRows(cudaStream_t handle, const Box& box) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    const CopyShape& shape = box.shape;
    if (shape.width > shape.destination_pitch ||
        shape.width > shape.source_pitch) {
      return Error::kInvalidPitch;
    }
    return Run(stream, kMode, box);
  });
}

CopyShape Rows(size_t width, size_t height, size_t destination_pitch,
               size_t source_pitch) {
  return {.width = width,
          .height = height,
          .depth = 1,
          .destination_pitch = destination_pitch,
          .source_pitch = source_pitch,
          .destination_slice = destination_pitch * height,
          .source_slice = source_pitch * height};
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy3D(const cudaMemcpy3DParms* parms, cudaStream_t handle) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (parms == nullptr) return Error::kInvalidValue;
    CopyWork copy;
    const Error error = MakeCopy3D(*parms, &copy);
    return error == Error::kSuccess ? RunCopy(stream, kMode, copy) : error;
  });
}

// A copy that starts or ends in a __device__ variable.
enum class SymbolSide : uint8_t { kDestination, kSource };

struct SymbolCopy {
  const void* symbol;
  size_t offset;
  void* other_destination;
  const void* other_source;
  size_t count;
  cudaMemcpyKind kind;
};

template <ApiName kName, Mode kMode, SymbolSide kSide,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopySymbol(cudaStream_t handle, const SymbolCopy& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    const bool to_symbol = kSide == SymbolSide::kDestination;
    const cudaMemcpyKind other_way =
        to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (!IsCopyKind(request.kind) || request.kind == other_way ||
        request.kind == cudaMemcpyHostToHost) {
      return Error::kInvalidMemcpyDirection;
    }
    VariablePlace place{};
    const Error error = FindVariable(*stream.device, request.symbol, &place);
    if (error != Error::kSuccess) return error;
    if (request.offset > place.bytes ||
        request.count > place.bytes - request.offset) {
      return Error::kInvalidValue;
    }
    void* at = static_cast<char*>(place.address) + request.offset;
    return Run(stream, kMode,
               {to_symbol ? at : request.other_destination,
                to_symbol ? request.other_source : at, Linear(request.count),
                request.kind});
  });
}

constexpr Mode kSync = Mode::kSync;
constexpr Mode kAsync = Mode::kAsync;
constexpr SymbolSide kTo = SymbolSide::kDestination;
constexpr SymbolSide kFrom = SymbolSide::kSource;

}  // namespace

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count,
                       cudaMemcpyKind kind) {
  return CopyBox<"cudaMemcpy", kSync>(nullptr, {dst, src, Linear(count), kind});
}

cudaError_t cudaMemcpy_ptds(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind) {
  return CopyBox<"cudaMemcpy_ptds", kSync, kPtsz>(
      nullptr, {dst, src, Linear(count), kind});
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyBox<"cudaMemcpyAsync", kAsync>(stream,
                                            {dst, src, Linear(count), kind});
}

cudaError_t cudaMemcpyAsync_ptsz(void* dst, const void* src, size_t count,
                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyBox<"cudaMemcpyAsync_ptsz", kAsync, kPtsz>(
      stream, {dst, src, Linear(count), kind});
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src,
                         size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return CopyRows<"cudaMemcpy2D", kSync>(
      nullptr, {dst, src, Rows(width, height, dpitch, spitch), kind});
}

cudaError_t cudaMemcpy2D_ptds(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind) {
  return CopyRows<"cudaMemcpy2D_ptds", kSync, kPtsz>(
      nullptr, {dst, src, Rows(width, height, dpitch, spitch), kind});
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyRows<"cudaMemcpy2DAsync", kAsync>(
      stream, {dst, src, Rows(width, height, dpitch, spitch), kind});
}

cudaError_t cudaMemcpy2DAsync_ptsz(void* dst, size_t dpitch, const void* src,
                                   size_t spitch, size_t width, size_t height,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyRows<"cudaMemcpy2DAsync_ptsz", kAsync, kPtsz>(
      stream, {dst, src, Rows(width, height, dpitch, spitch), kind});
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return Copy3D<"cudaMemcpy3D", kSync>(p, nullptr);
}

cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* p) {
  return Copy3D<"cudaMemcpy3D_ptds", kSync, kPtsz>(p, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return Copy3D<"cudaMemcpy3DAsync", kAsync>(p, stream);
}

cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* p,
                                   cudaStream_t stream) {
  return Copy3D<"cudaMemcpy3DAsync_ptsz", kAsync, kPtsz>(p, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src,
                               size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return CopySymbol<"cudaMemcpyToSymbol", kSync, kTo>(
      nullptr, {symbol, offset, nullptr, src, count, kind});
}

cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* src,
                                    size_t count, size_t offset,
                                    cudaMemcpyKind kind) {
  return CopySymbol<"cudaMemcpyToSymbol_ptds", kSync, kTo, kPtsz>(
      nullptr, {symbol, offset, nullptr, src, count, kind});
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src,
                                    size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return CopySymbol<"cudaMemcpyToSymbolAsync", kAsync, kTo>(
      stream, {symbol, offset, nullptr, src, count, kind});
}

cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* src,
                                         size_t count, size_t offset,
                                         cudaMemcpyKind kind,
                                         cudaStream_t stream) {
  return CopySymbol<"cudaMemcpyToSymbolAsync_ptsz", kAsync, kTo, kPtsz>(
      stream, {symbol, offset, nullptr, src, count, kind});
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count,
                                 size_t offset, cudaMemcpyKind kind) {
  return CopySymbol<"cudaMemcpyFromSymbol", kSync, kFrom>(
      nullptr, {symbol, offset, dst, nullptr, count, kind});
}

cudaError_t cudaMemcpyFromSymbol_ptds(void* dst, const void* symbol,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind) {
  return CopySymbol<"cudaMemcpyFromSymbol_ptds", kSync, kFrom, kPtsz>(
      nullptr, {symbol, offset, dst, nullptr, count, kind});
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return CopySymbol<"cudaMemcpyFromSymbolAsync", kAsync, kFrom>(
      stream, {symbol, offset, dst, nullptr, count, kind});
}

cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* dst, const void* symbol,
                                           size_t count, size_t offset,
                                           cudaMemcpyKind kind,
                                           cudaStream_t stream) {
  return CopySymbol<"cudaMemcpyFromSymbolAsync_ptsz", kAsync, kFrom, kPtsz>(
      stream, {symbol, offset, dst, nullptr, count, kind});
}
