// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/conversions.h"
#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

bool AreContexts(CUcontext a, CUcontext b) {
  return FromHandle<Context>(a) != nullptr && FromHandle<Context>(b) != nullptr;
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

}  // namespace

namespace body {

// "Asynchronous with respect to the host, but serialized with respect to all
// pending work in the current context."
Error MemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                 CUcontext from_context, size_t bytes, Stream& stream) {
  return MemcpyPeerAsync(to, to_context, from, from_context, bytes, stream);
}

Error MemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes, Stream& stream) {
  if (!AreContexts(to_context, from_context)) return Error::kInvalidContext;
  CopyWork copy;
  const Error error = MakeCopy(ToPointer(to), ToPointer(from), Linear(bytes),
                               CopyDirection::kDeviceToDevice, &copy);
  return error == Error::kSuccess ? CopyAsync(stream, copy) : error;
}

Error Memcpy3DPeer(const CUDA_MEMCPY3D_PEER* request, Stream& stream) {
  return Memcpy3DPeerAsync(request, stream);
}

Error Memcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* request, Stream& stream) {
  if (request == nullptr) return Error::kInvalidValue;
  if (!AreContexts(request->srcContext, request->dstContext)) {
    return Error::kInvalidContext;
  }
  CopyWork copy;
  const Error error = MakeCopy3D(WithoutContexts(*request), &copy);
  return error == Error::kSuccess ? CopyAsync(stream, copy) : error;
}

}  // namespace body
}  // namespace dltap::simgpu
