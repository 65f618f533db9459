// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

enum class Mode : uint8_t { kSync, kAsync };

struct Linear1D {
  void* destination;
  const void* source;
  size_t bytes;
  std::optional<CopyDirection> claimed;
};

Error Run(Stream& stream, Mode mode, const CopyWork& copy) {
  return mode == Mode::kAsync ? CopyAsync(stream, copy)
                              : CopySync(stream, copy);
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
CUresult Copy(CUstream handle, const Linear1D& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    CopyWork copy;
    const Error error = MakeCopy(request.destination, request.source,
                                 Linear(request.bytes), request.claimed, &copy);
    return error == Error::kSuccess ? Run(stream, kMode, copy) : error;
  });
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
CUresult Copy2D(CUstream handle, const CUDA_MEMCPY2D* request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (request == nullptr) return Error::kInvalidValue;
    CopyWork copy;
    const Error error = MakeCopy2D(*request, &copy);
    return error == Error::kSuccess ? Run(stream, kMode, copy) : error;
  });
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
CUresult Copy3D(CUstream handle, const CUDA_MEMCPY3D* request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (request == nullptr) return Error::kInvalidValue;
    CopyWork copy;
    const Error error = MakeCopy3D(*request, &copy);
    return error == Error::kSuccess ? Run(stream, kMode, copy) : error;
  });
}

constexpr auto kUp = CopyDirection::kHostToDevice;
constexpr auto kDown = CopyDirection::kDeviceToHost;
constexpr auto kInside = CopyDirection::kDeviceToDevice;
constexpr Mode kSync = Mode::kSync;
constexpr Mode kAsync = Mode::kAsync;

}  // namespace

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return Copy<"cuMemcpy", kSync>(
      nullptr, {ToPointer(dst), ToPointer(src), ByteCount, std::nullopt});
}

CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return Copy<"cuMemcpy_ptds", kSync, kPtsz>(
      nullptr, {ToPointer(dst), ToPointer(src), ByteCount, std::nullopt});
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
                       CUstream hStream) {
  return Copy<"cuMemcpyAsync", kAsync>(
      hStream, {ToPointer(dst), ToPointer(src), ByteCount, std::nullopt});
}

CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
                            CUstream hStream) {
  return Copy<"cuMemcpyAsync_ptsz", kAsync, kPtsz>(
      hStream, {ToPointer(dst), ToPointer(src), ByteCount, std::nullopt});
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost,
                         size_t ByteCount) {
  return Copy<"cuMemcpyHtoD_v2", kSync>(
      nullptr, {ToPointer(dstDevice), srcHost, ByteCount, kUp});
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void* srcHost,
                              size_t ByteCount) {
  return Copy<"cuMemcpyHtoD_v2_ptds", kSync, kPtsz>(
      nullptr, {ToPointer(dstDevice), srcHost, ByteCount, kUp});
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost,
                              size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyHtoDAsync_v2", kAsync>(
      hStream, {ToPointer(dstDevice), srcHost, ByteCount, kUp});
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void* srcHost,
                                   size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyHtoDAsync_v2_ptsz", kAsync, kPtsz>(
      hStream, {ToPointer(dstDevice), srcHost, ByteCount, kUp});
}

CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return Copy<"cuMemcpyDtoH_v2", kSync>(
      nullptr, {dstHost, ToPointer(srcDevice), ByteCount, kDown});
}

CUresult cuMemcpyDtoH_v2_ptds(void* dstHost, CUdeviceptr srcDevice,
                              size_t ByteCount) {
  return Copy<"cuMemcpyDtoH_v2_ptds", kSync, kPtsz>(
      nullptr, {dstHost, ToPointer(srcDevice), ByteCount, kDown});
}

CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice,
                              size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyDtoHAsync_v2", kAsync>(
      hStream, {dstHost, ToPointer(srcDevice), ByteCount, kDown});
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void* dstHost, CUdeviceptr srcDevice,
                                   size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyDtoHAsync_v2_ptsz", kAsync, kPtsz>(
      hStream, {dstHost, ToPointer(srcDevice), ByteCount, kDown});
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return Copy<"cuMemcpyDtoD_v2", kSync>(
      nullptr,
      {ToPointer(dstDevice), ToPointer(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                              size_t ByteCount) {
  return Copy<"cuMemcpyDtoD_v2_ptds", kSync, kPtsz>(
      nullptr,
      {ToPointer(dstDevice), ToPointer(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                              size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyDtoDAsync_v2", kAsync>(
      hStream,
      {ToPointer(dstDevice), ToPointer(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                                   size_t ByteCount, CUstream hStream) {
  return Copy<"cuMemcpyDtoDAsync_v2_ptsz", kAsync, kPtsz>(
      hStream,
      {ToPointer(dstDevice), ToPointer(srcDevice), ByteCount, kInside});
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) {
  return Copy2D<"cuMemcpy2D_v2", kSync>(nullptr, pCopy);
}

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* pCopy) {
  return Copy2D<"cuMemcpy2D_v2_ptds", kSync, kPtsz>(nullptr, pCopy);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return Copy2D<"cuMemcpy2DAsync_v2", kAsync>(hStream, pCopy);
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return Copy2D<"cuMemcpy2DAsync_v2_ptsz", kAsync, kPtsz>(hStream, pCopy);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) {
  return Copy2D<"cuMemcpy2DUnaligned_v2", kSync>(nullptr, pCopy);
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* pCopy) {
  return Copy2D<"cuMemcpy2DUnaligned_v2_ptds", kSync, kPtsz>(nullptr, pCopy);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) {
  return Copy3D<"cuMemcpy3D_v2", kSync>(nullptr, pCopy);
}

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* pCopy) {
  return Copy3D<"cuMemcpy3D_v2_ptds", kSync, kPtsz>(nullptr, pCopy);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return Copy3D<"cuMemcpy3DAsync_v2", kAsync>(hStream, pCopy);
}

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return Copy3D<"cuMemcpy3DAsync_v2_ptsz", kAsync, kPtsz>(hStream, pCopy);
}
