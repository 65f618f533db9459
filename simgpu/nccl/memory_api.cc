// SPDX-License-Identifier: Apache-2.0
// Memory that NCCL gives or registers. Registration makes transfers faster, not
// different: handles only.
#include "simgpu/memory/memory.h"
#include "simgpu/nccl/communicator.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

struct Registration {
  void* buffer;
  size_t bytes;
};

ncclResult_t Register(ncclComm* comm, void* buffer, size_t bytes,
                      void** handle) {
  if (buffer == nullptr || handle == nullptr || bytes == 0) {
    return ncclInvalidArgument;
  }
  if (const ncclResult_t usable = CheckUsable(comm); usable != ncclSuccess) {
    return usable;
  }
  *handle = new Registration{buffer, bytes};
  return ncclSuccess;
}

ncclResult_t Deregister(ncclComm* comm, void* handle) {
  if (comm == nullptr) return ncclInvalidArgument;
  delete static_cast<Registration*>(handle);
  return ncclSuccess;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
  return Nccl<"ncclMemAlloc">([&] {
    if (pointer == nullptr || bytes == 0) return ncclInvalidArgument;
    if (InitializeDevices() != Error::kSuccess) return ncclUnhandledCudaError;
    const Error error =
        AllocateDevice(CurrentDeviceState(), bytes, MemoryKind::kDevice,
                       MemoryOwner::kMalloc, pointer);
    return error == Error::kSuccess ? ncclSuccess : ncclUnhandledCudaError;
  });
}

ncclResult_t ncclMemFree(void* pointer) {
  return Nccl<"ncclMemFree">([&] {
    return FreeDevice(pointer) == Error::kSuccess ? ncclSuccess
                                                  : ncclUnhandledCudaError;
  });
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buffer, size_t bytes,
                              void** handle) {
  return Nccl<"ncclCommRegister">(
      [&] { return Register(comm, buffer, bytes, handle); });
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
  return Nccl<"ncclCommDeregister">([&] { return Deregister(comm, handle); });
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, size_t bytes,
                                    ncclWindow_t* window, int) {
  return Nccl<"ncclCommWindowRegister">([&] {
    const auto address = reinterpret_cast<uintptr_t>(buffer);
    if (address % NCCL_WIN_REQUIRED_ALIGNMENT != 0) return ncclInvalidArgument;
    return Register(comm, buffer, bytes, reinterpret_cast<void**>(window));
  });
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  return Nccl<"ncclCommWindowDeregister">([&] {
    return Deregister(comm, reinterpret_cast<Registration*>(window));
  });
}

}  // extern "C"
