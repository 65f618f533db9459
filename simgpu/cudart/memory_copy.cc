// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/copy_by_driver.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

constexpr Mode kSync = Mode::kSync;
constexpr Mode kAsync = Mode::kAsync;

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy1D(cudaStream_t stream, const Line& line) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    return CopyLine({driver, kMode, stream}, line);
  });
}

// As the functions are given them.
struct RowsOf {
  void* destination;
  size_t destination_pitch;
  const void* source;
  size_t source_pitch;
  size_t width;
  size_t height;
  cudaMemcpyKind kind;
};

// Rows have a pitch even when there is only one.
template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy2D(cudaStream_t stream, const RowsOf& rows) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    if (rows.width > rows.destination_pitch || rows.width > rows.source_pitch) {
      return Error::kInvalidPitch;
    }
    if (!IsCopyKind(rows.kind)) return Error::kInvalidMemcpyDirection;
    return CopyRows(
        {driver, kMode, stream},
        {.destination = {.pointer = rows.destination,
                         .pitch = rows.destination_pitch},
         .source = {.pointer = rows.source, .pitch = rows.source_pitch},
         .extent = {.width_bytes = rows.width, .height = rows.height},
         .kind = rows.kind});
  });
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy3D(const cudaMemcpy3DParms* params, cudaStream_t stream) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    if (params == nullptr) return Error::kInvalidValue;
    Box box{};
    const Error error = ReadBox(*params, &box);
    return error == Error::kSuccess ? CopyBox({driver, kMode, stream}, box)
                                    : error;
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
cudaError_t CopySymbol(cudaStream_t stream, const SymbolCopy& request) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    const bool to_symbol = kSide == SymbolSide::kDestination;
    const cudaMemcpyKind other_way =
        to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (!IsCopyKind(request.kind) || request.kind == other_way ||
        request.kind == cudaMemcpyHostToHost) {
      return Error::kInvalidMemcpyDirection;
    }
    VariablePlace place{};
    const Error error = FindVariable(ActiveDevice(), request.symbol, &place);
    if (error != Error::kSuccess) return error;
    if (request.offset > place.bytes ||
        request.count > place.bytes - request.offset) {
      return Error::kInvalidValue;
    }
    void* at = static_cast<char*>(place.address) + request.offset;
    return CopyLine(
        {driver, kMode, stream},
        {to_symbol ? at : request.other_destination,
         to_symbol ? request.other_source : at, request.count, request.kind});
  });
}

constexpr SymbolSide kTo = SymbolSide::kDestination;
constexpr SymbolSide kFrom = SymbolSide::kSource;

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count,
                       cudaMemcpyKind kind) {
  return Copy1D<"cudaMemcpy", kSync>(nullptr, {dst, src, count, kind});
}

cudaError_t cudaMemcpy_ptds(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind) {
  return Copy1D<"cudaMemcpy_ptds", kSync, kPtsz>(nullptr,
                                                 {dst, src, count, kind});
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy1D<"cudaMemcpyAsync", kAsync>(stream, {dst, src, count, kind});
}

cudaError_t cudaMemcpyAsync_ptsz(void* dst, const void* src, size_t count,
                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy1D<"cudaMemcpyAsync_ptsz", kAsync, kPtsz>(stream,
                                                       {dst, src, count, kind});
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src,
                         size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2D", kSync>(
      nullptr, {dst, dpitch, src, spitch, width, height, kind});
}

cudaError_t cudaMemcpy2D_ptds(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind) {
  return Copy2D<"cudaMemcpy2D_ptds", kSync, kPtsz>(
      nullptr, {dst, dpitch, src, spitch, width, height, kind});
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src,
                              size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DAsync", kAsync>(
      stream, {dst, dpitch, src, spitch, width, height, kind});
}

cudaError_t cudaMemcpy2DAsync_ptsz(void* dst, size_t dpitch, const void* src,
                                   size_t spitch, size_t width, size_t height,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy2D<"cudaMemcpy2DAsync_ptsz", kAsync, kPtsz>(
      stream, {dst, dpitch, src, spitch, width, height, kind});
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
