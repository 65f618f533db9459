// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/capture.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/stream/ipc_event.h"

namespace dltap::simgpu {

static_assert(sizeof(cudaIpcMemHandle_t) == kIpcHandleBytes);
static_assert(sizeof(cudaIpcEventHandle_t) == kIpcHandleBytes);

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr) {
  return Runtime<"cudaIpcGetMemHandle">(Needs::kContext, [&] {
    return handle == nullptr ? Error::kInvalidValue
                             : GetMemoryHandle(devPtr, handle);
  });
}

cudaError_t cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle,
                                 unsigned int flags) {
  return Runtime<"cudaIpcOpenMemHandle">(Needs::kContext, [&] {
    if (devPtr == nullptr || flags != cudaIpcMemLazyEnablePeerAccess) {
      return Error::kInvalidValue;
    }
    const Error unsafe = CheckUnsafeCall();
    return unsafe != Error::kSuccess ? unsafe
                                     : OpenMemoryHandle(&handle, devPtr);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* devPtr) {
  return Runtime<"cudaIpcCloseMemHandle">(Needs::kContext, [&] {
    const Error error = SynchronizeDevice(ActiveDevice());
    return error != Error::kSuccess ? error : CloseMemoryHandle(devPtr);
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle,
                                  cudaEvent_t event) {
  return Runtime<"cudaIpcGetEventHandle">(Needs::kContext, [&] {
    Event* found = ToEvent(event);
    if (handle == nullptr) return Error::kInvalidValue;
    return found == nullptr ? Error::kInvalidHandle
                            : GetEventHandle(*found, handle);
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event,
                                   cudaIpcEventHandle_t handle) {
  return Runtime<"cudaIpcOpenEventHandle">(Needs::kContext, [&] {
    if (event == nullptr) return Error::kInvalidValue;
    Event* opened = nullptr;
    const Error error = OpenEventHandle(ActiveDevice(), &handle, &opened);
    if (error == Error::kSuccess) *event = ToHandle<cudaEvent_t>(opened);
    return error;
  });
}
