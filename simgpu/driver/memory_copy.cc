// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

using Finish = Error (*)(Stream&, CopyWork);

struct Linear1D {
  void* destination;
  const void* source;
  size_t bytes;
  std::optional<CopyDirection> claimed;
};

Error Copy(Stream& stream, Finish finish, const Linear1D& request) {
  CopyWork copy;
  const Error error = MakeCopy(request.destination, request.source,
                               Linear(request.bytes), request.claimed, &copy);
  return error == Error::kSuccess ? finish(stream, copy) : error;
}

Error Copy2D(Stream& stream, Finish finish, const CUDA_MEMCPY2D* request) {
  if (request == nullptr) return Error::kInvalidValue;
  CopyWork copy;
  const Error error = MakeCopy2D(*request, &copy);
  return error == Error::kSuccess ? finish(stream, copy) : error;
}

Error Copy3D(Stream& stream, Finish finish, const CUDA_MEMCPY3D* request) {
  if (request == nullptr) return Error::kInvalidValue;
  CopyWork copy;
  const Error error = MakeCopy3D(*request, &copy);
  return error == Error::kSuccess ? finish(stream, copy) : error;
}

constexpr auto kUp = CopyDirection::kHostToDevice;
constexpr auto kDown = CopyDirection::kDeviceToHost;
constexpr auto kInside = CopyDirection::kDeviceToDevice;

}  // namespace

namespace body {

Error Memcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes, Stream& stream) {
  return Copy(stream, CopySync,
              {ToPointer(to), ToPointer(from), bytes, std::nullopt});
}

Error MemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                  Stream& stream) {
  return Copy(stream, CopyAsync,
              {ToPointer(to), ToPointer(from), bytes, std::nullopt});
}

Error MemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync, {ToPointer(to), from, bytes, kUp});
}

Error MemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes,
                      Stream& stream) {
  return Copy(stream, CopyAsync, {ToPointer(to), from, bytes, kUp});
}

Error MemcpyDtoH(void* to, CUdeviceptr from, size_t bytes, Stream& stream) {
  return Copy(stream, CopySync, {to, ToPointer(from), bytes, kDown});
}

Error MemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes,
                      Stream& stream) {
  return Copy(stream, CopyAsync, {to, ToPointer(from), bytes, kDown});
}

Error MemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync,
              {ToPointer(to), ToPointer(from), bytes, kInside});
}

Error MemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                      Stream& stream) {
  return Copy(stream, CopyAsync,
              {ToPointer(to), ToPointer(from), bytes, kInside});
}

Error Memcpy2D(const CUDA_MEMCPY2D* request, Stream& stream) {
  return Copy2D(stream, CopySync, request);
}

Error Memcpy2DAsync(const CUDA_MEMCPY2D* request, Stream& stream) {
  return Copy2D(stream, CopyAsync, request);
}

Error Memcpy2DUnaligned(const CUDA_MEMCPY2D* request, Stream& stream) {
  return Copy2D(stream, CopySync, request);
}

Error Memcpy3D(const CUDA_MEMCPY3D* request, Stream& stream) {
  return Copy3D(stream, CopySync, request);
}

Error Memcpy3DAsync(const CUDA_MEMCPY3D* request, Stream& stream) {
  return Copy3D(stream, CopyAsync, request);
}

}  // namespace body
}  // namespace dltap::simgpu
