// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct PeerCopy {
  CUdeviceptr destination;
  CUcontext destination_context;
  CUdeviceptr source;
  CUcontext source_context;
  size_t bytes;
};

bool AreContexts(CUcontext a, CUcontext b) {
  return FromHandle<Context>(a) != nullptr && FromHandle<Context>(b) != nullptr;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult CopyBetween(CUstream handle, const PeerCopy& request) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (!AreContexts(request.destination_context, request.source_context)) {
      return Error::kInvalidContext;
    }
    CopyWork copy;
    const Error error =
        MakeCopy(ToPointer(request.destination), ToPointer(request.source),
                 Linear(request.bytes), CopyDirection::kDeviceToDevice, &copy);
    return error == Error::kSuccess ? CopyAsync(stream, copy) : error;
  });
}

CUDA_MEMCPY3D WithoutContexts(const CUDA_MEMCPY3D_PEER& p) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = p.srcXInBytes;
  box.srcY = p.srcY;
  box.srcZ = p.srcZ;
  box.srcLOD = p.srcLOD;
  box.srcMemoryType = p.srcMemoryType;
  box.srcHost = p.srcHost;
  box.srcDevice = p.srcDevice;
  box.srcArray = p.srcArray;
  box.srcPitch = p.srcPitch;
  box.srcHeight = p.srcHeight;
  box.dstXInBytes = p.dstXInBytes;
  box.dstY = p.dstY;
  box.dstZ = p.dstZ;
  box.dstLOD = p.dstLOD;
  box.dstMemoryType = p.dstMemoryType;
  box.dstHost = p.dstHost;
  box.dstDevice = p.dstDevice;
  box.dstArray = p.dstArray;
  box.dstPitch = p.dstPitch;
  box.dstHeight = p.dstHeight;
  box.WidthInBytes = p.WidthInBytes;
  box.Height = p.Height;
  box.Depth = p.Depth;
  return box;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult CopyBoxBetween(CUstream handle, const CUDA_MEMCPY3D_PEER* p) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (p == nullptr) return Error::kInvalidValue;
    if (!AreContexts(p->srcContext, p->dstContext)) {
      return Error::kInvalidContext;
    }
    CopyWork copy;
    const Error error = MakeCopy3D(WithoutContexts(*p), &copy);
    return error == Error::kSuccess ? CopyAsync(stream, copy) : error;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

// "Asynchronous with respect to the host, but serialized with respect to all
// pending work in the current context."
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext,
                      CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount) {
  return CopyBetween<"cuMemcpyPeer">(
      nullptr, {dstDevice, dstContext, srcDevice, srcContext, ByteCount});
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext,
                           CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount) {
  return CopyBetween<"cuMemcpyPeer_ptds", kPtsz>(
      nullptr, {dstDevice, dstContext, srcDevice, srcContext, ByteCount});
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
                           CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream) {
  return CopyBetween<"cuMemcpyPeerAsync">(
      hStream, {dstDevice, dstContext, srcDevice, srcContext, ByteCount});
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext,
                                CUdeviceptr srcDevice, CUcontext srcContext,
                                size_t ByteCount, CUstream hStream) {
  return CopyBetween<"cuMemcpyPeerAsync_ptsz", kPtsz>(
      hStream, {dstDevice, dstContext, srcDevice, srcContext, ByteCount});
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return CopyBoxBetween<"cuMemcpy3DPeer">(nullptr, pCopy);
}

CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER* pCopy) {
  return CopyBoxBetween<"cuMemcpy3DPeer_ptds", kPtsz>(nullptr, pCopy);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy,
                             CUstream hStream) {
  return CopyBoxBetween<"cuMemcpy3DPeerAsync">(hStream, pCopy);
}

CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER* pCopy,
                                  CUstream hStream) {
  return CopyBoxBetween<"cuMemcpy3DPeerAsync_ptsz", kPtsz>(hStream, pCopy);
}
