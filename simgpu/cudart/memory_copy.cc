// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/copy_by_driver.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

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
Error Copy2D(const Lane& lane, const RowsOf& rows) {
  if (rows.width > rows.destination_pitch || rows.width > rows.source_pitch) {
    return Error::kInvalidPitch;
  }
  if (!IsCopyKind(rows.kind)) return Error::kInvalidMemcpyDirection;
  return CopyRows(
      lane, {.destination = {.pointer = rows.destination,
                             .pitch = rows.destination_pitch},
             .source = {.pointer = rows.source, .pitch = rows.source_pitch},
             .extent = {.width_bytes = rows.width, .height = rows.height},
             .kind = rows.kind});
}

Error Copy3D(const Lane& lane, const cudaMemcpy3DParms* params) {
  if (params == nullptr) return Error::kInvalidValue;
  Box box{};
  const Error error = ReadBox(*params, &box);
  return error == Error::kSuccess ? CopyBox(lane, box) : error;
}

// A copy that starts or ends in a __device__ variable. Only the other place of
// its direction is read; the caller may have given null there.
struct SymbolCopy {
  bool to_symbol;
  const void* symbol;
  size_t offset;
  void* other_destination;
  const void* other_source;
  size_t count;
  cudaMemcpyKind kind;
};

Error CopySymbol(const Lane& lane, const SymbolCopy& request) {
  const cudaMemcpyKind other_way =
      request.to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
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
  return CopyLine(lane, {request.to_symbol ? at : request.other_destination,
                         request.to_symbol ? request.other_source : at,
                         request.count, request.kind});
}

Lane Sync(const DriverStreamTable& driver) {
  return {driver, Mode::kSync, nullptr};
}
Lane Async(const DriverStreamTable& driver, cudaStream_t stream) {
  return {driver, Mode::kAsync, stream};
}

}  // namespace

namespace body {

Error Memcpy(const DriverStreamTable& driver, void* dst, const void* src,
             size_t count, cudaMemcpyKind kind) {
  return CopyLine(Sync(driver), {dst, src, count, kind});
}

Error MemcpyAsync(const DriverStreamTable& driver, void* dst, const void* src,
                  size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return CopyLine(Async(driver, stream), {dst, src, count, kind});
}

Error Memcpy2D(const DriverStreamTable& driver, void* dst, size_t dpitch,
               const void* src, size_t spitch, size_t width, size_t height,
               cudaMemcpyKind kind) {
  return Copy2D(Sync(driver), {dst, dpitch, src, spitch, width, height, kind});
}

Error Memcpy2DAsync(const DriverStreamTable& driver, void* dst, size_t dpitch,
                    const void* src, size_t spitch, size_t width, size_t height,
                    cudaMemcpyKind kind, cudaStream_t stream) {
  return Copy2D(Async(driver, stream),
                {dst, dpitch, src, spitch, width, height, kind});
}

Error Memcpy3D(const DriverStreamTable& driver, const cudaMemcpy3DParms* p) {
  return Copy3D(Sync(driver), p);
}

Error Memcpy3DAsync(const DriverStreamTable& driver, const cudaMemcpy3DParms* p,
                    cudaStream_t stream) {
  return Copy3D(Async(driver, stream), p);
}

Error MemcpyToSymbol(const DriverStreamTable& driver, const void* symbol,
                     const void* src, size_t count, size_t offset,
                     cudaMemcpyKind kind) {
  return CopySymbol(Sync(driver),
                    {true, symbol, offset, nullptr, src, count, kind});
}

Error MemcpyToSymbolAsync(const DriverStreamTable& driver, const void* symbol,
                          const void* src, size_t count, size_t offset,
                          cudaMemcpyKind kind, cudaStream_t stream) {
  return CopySymbol(Async(driver, stream),
                    {true, symbol, offset, nullptr, src, count, kind});
}

Error MemcpyFromSymbol(const DriverStreamTable& driver, void* dst,
                       const void* symbol, size_t count, size_t offset,
                       cudaMemcpyKind kind) {
  return CopySymbol(Sync(driver),
                    {false, symbol, offset, dst, nullptr, count, kind});
}

Error MemcpyFromSymbolAsync(const DriverStreamTable& driver, void* dst,
                            const void* symbol, size_t count, size_t offset,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return CopySymbol(Async(driver, stream),
                    {false, symbol, offset, dst, nullptr, count, kind});
}

}  // namespace body
}  // namespace dltap::simgpu
