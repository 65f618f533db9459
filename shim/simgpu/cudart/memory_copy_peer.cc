// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/cudart/memory_box.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/transfer.h"

namespace dltap::simgpu {
namespace {

using Finish = Error (*)(Stream&, CopyWork);

struct PeerCopy {
  void* destination;
  int destination_device;
  const void* source;
  int source_device;
  size_t bytes;
};

template <ApiName kName, Finish kFinish>
cudaError_t CopyBetween(cudaStream_t handle, const PeerCopy& request) {
  return OnStream<kName>(handle, [&](Stream& stream) {
    if (FindDevice(request.destination_device) == nullptr ||
        FindDevice(request.source_device) == nullptr) {
      return Error::kInvalidDevice;
    }
    CopyWork copy;
    const Error error =
        MakeCopy(request.destination, request.source, Linear(request.bytes),
                 CopyDirection::kDeviceToDevice, &copy);
    return error == Error::kSuccess ? kFinish(stream, copy) : error;
  });
}

template <ApiName kName, Finish kFinish,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBoxBetween(cudaStream_t handle,
                           const cudaMemcpy3DPeerParms* p) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (p == nullptr) return Error::kInvalidValue;
    if (FindDevice(p->dstDevice) == nullptr ||
        FindDevice(p->srcDevice) == nullptr) {
      return Error::kInvalidDevice;
    }
    const cudaMemcpy3DParms box{p->srcArray, p->srcPos,        p->srcPtr,
                                p->dstArray, p->dstPos,        p->dstPtr,
                                p->extent,   cudaMemcpyDefault};
    CopyWork copy;
    const Error error = MakeCopy3D(box, &copy);
    return error == Error::kSuccess ? kFinish(stream, copy) : error;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

// "Asynchronous with respect to the host, but serialized with respect to all
// pending work in the current device."
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src,
                           int srcDevice, size_t count) {
  return CopyBetween<"cudaMemcpyPeer", CopyAsync>(
      nullptr, {dst, dstDevice, src, srcDevice, count});
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src,
                                int srcDevice, size_t count,
                                cudaStream_t stream) {
  return CopyBetween<"cudaMemcpyPeerAsync", CopyAsync>(
      stream, {dst, dstDevice, src, srcDevice, count});
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return CopyBoxBetween<"cudaMemcpy3DPeer", CopyAsync>(nullptr, p);
}

cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* p) {
  return CopyBoxBetween<"cudaMemcpy3DPeer_ptds", CopyAsync, kPtsz>(nullptr, p);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p,
                                  cudaStream_t stream) {
  return CopyBoxBetween<"cudaMemcpy3DPeerAsync", CopyAsync>(stream, p);
}

cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms* p,
                                       cudaStream_t stream) {
  return CopyBoxBetween<"cudaMemcpy3DPeerAsync_ptsz", CopyAsync, kPtsz>(stream,
                                                                        p);
}
