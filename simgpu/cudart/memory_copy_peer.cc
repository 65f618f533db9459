// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/copy_by_driver.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

// Null: no such device.
CUcontext ContextOf(int device) {
  const Device* found = FindDevice(device);
  return found == nullptr ? nullptr
                          : reinterpret_cast<CUcontext>(found->primary_context);
}

Error CopyBetween3D(const Lane& lane, const cudaMemcpy3DPeerParms* p) {
  if (p == nullptr) return Error::kInvalidValue;
  const CUcontext to = ContextOf(p->dstDevice);
  const CUcontext from = ContextOf(p->srcDevice);
  if (to == nullptr || from == nullptr) return Error::kInvalidDevice;
  Box box{};
  const Error error =
      ReadBox({p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos,
               p->dstPtr, p->extent, cudaMemcpyDefault},
              &box);
  return error == Error::kSuccess ? CopyBoxBetween(lane, box, to, from) : error;
}

}  // namespace

namespace body {

// "Asynchronous with respect to the host, but serialized with respect to all
// pending work in the current device."
Error MemcpyPeer(const DriverTable& driver, void* to, int to_device,
                 const void* from, int from_device, size_t bytes) {
  const CUcontext target = ContextOf(to_device);
  const CUcontext source = ContextOf(from_device);
  if (target == nullptr || source == nullptr) return Error::kInvalidDevice;
  return FromDriver(driver.legacy.memcpy_peer(ToAddress(to), target,
                                              ToAddress(from), source, bytes));
}

Error MemcpyPeerAsync(const DriverTable& driver, void* to, int to_device,
                      const void* from, int from_device, size_t bytes,
                      cudaStream_t stream) {
  const CUcontext target = ContextOf(to_device);
  const CUcontext source = ContextOf(from_device);
  if (target == nullptr || source == nullptr) return Error::kInvalidDevice;
  return FromDriver(driver.legacy.memcpy_peer_async(
      ToAddress(to), target, ToAddress(from), source, bytes, stream));
}

Error Memcpy3DPeer(const DriverStreamTable& driver,
                   const cudaMemcpy3DPeerParms* p) {
  return CopyBetween3D({driver, Mode::kSync, nullptr}, p);
}

Error Memcpy3DPeerAsync(const DriverStreamTable& driver,
                        const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return CopyBetween3D({driver, Mode::kAsync, stream}, p);
}

}  // namespace body
}  // namespace dltap::simgpu
