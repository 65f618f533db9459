// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/copy_by_driver.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

struct PeerCopy {
  void* destination;
  int destination_device;
  const void* source;
  int source_device;
  size_t bytes;
};

// Null: no such device.
CUcontext ContextOf(int device) {
  const Device* found = FindDevice(device);
  return found == nullptr ? nullptr
                          : reinterpret_cast<CUcontext>(found->primary_context);
}

template <ApiName kName, Mode kMode>
cudaError_t CopyBetween(cudaStream_t stream, const PeerCopy& copy) {
  return ByDriver<kName>([&](const DriverTable& table) {
    const DriverStreamTable& driver = table.legacy;
    const CUcontext to = ContextOf(copy.destination_device);
    const CUcontext from = ContextOf(copy.source_device);
    if (to == nullptr || from == nullptr) return Error::kInvalidDevice;
    return FromDriver(
        kMode == Mode::kAsync
            ? driver.memcpy_peer_async(ToAddress(copy.destination), to,
                                       ToAddress(copy.source), from, copy.bytes,
                                       stream)
            : driver.memcpy_peer(ToAddress(copy.destination), to,
                                 ToAddress(copy.source), from, copy.bytes));
  });
}

template <ApiName kName, Mode kMode,
          DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t CopyBetween3D(cudaStream_t stream, const cudaMemcpy3DPeerParms* p) {
  return ByDriverOnStream<kName, kNull>([&](const DriverStreamTable& driver) {
    if (p == nullptr) return Error::kInvalidValue;
    const CUcontext to = ContextOf(p->dstDevice);
    const CUcontext from = ContextOf(p->srcDevice);
    if (to == nullptr || from == nullptr) return Error::kInvalidDevice;
    Box box{};
    const Error error =
        ReadBox({p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos,
                 p->dstPtr, p->extent, cudaMemcpyDefault},
                &box);
    return error == Error::kSuccess
               ? CopyBoxBetween({driver, kMode, stream}, box, to, from)
               : error;
  });
}

constexpr Mode kSync = Mode::kSync;
constexpr Mode kAsync = Mode::kAsync;

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

// "Asynchronous with respect to the host, but serialized with respect to all
// pending work in the current device."
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src,
                           int srcDevice, size_t count) {
  return CopyBetween<"cudaMemcpyPeer", kSync>(
      nullptr, {dst, dstDevice, src, srcDevice, count});
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src,
                                int srcDevice, size_t count,
                                cudaStream_t stream) {
  return CopyBetween<"cudaMemcpyPeerAsync", kAsync>(
      stream, {dst, dstDevice, src, srcDevice, count});
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return CopyBetween3D<"cudaMemcpy3DPeer", kSync>(nullptr, p);
}

cudaError_t cudaMemcpy3DPeer_ptds(const cudaMemcpy3DPeerParms* p) {
  return CopyBetween3D<"cudaMemcpy3DPeer_ptds", kSync, kPtsz>(nullptr, p);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p,
                                  cudaStream_t stream) {
  return CopyBetween3D<"cudaMemcpy3DPeerAsync", kAsync>(stream, p);
}

cudaError_t cudaMemcpy3DPeerAsync_ptsz(const cudaMemcpy3DPeerParms* p,
                                       cudaStream_t stream) {
  return CopyBetween3D<"cudaMemcpy3DPeerAsync_ptsz", kAsync, kPtsz>(stream, p);
}
