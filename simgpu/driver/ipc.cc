// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/capture.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/stream/ipc_event.h"

namespace dltap::simgpu {

static_assert(sizeof(CUipcMemHandle) == kIpcHandleBytes);
static_assert(sizeof(CUipcEventHandle) == kIpcHandleBytes);

}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  return Driver<"cuIpcGetMemHandle">(DriverNeeds::kContext, [&] {
    return pHandle == nullptr ? Error::kInvalidValue
                              : GetMemoryHandle(ToPointer(dptr), pHandle);
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle,
                               unsigned int Flags) {
  return Driver<"cuIpcOpenMemHandle_v2">(DriverNeeds::kContext, [&] {
    if (pdptr == nullptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) {
      return Error::kInvalidValue;
    }
    if (const Error unsafe = CheckUnsafeCall(); unsafe != Error::kSuccess) {
      return unsafe;
    }
    void* address = nullptr;
    const Error error = OpenMemoryHandle(&handle, &address);
    if (error == Error::kSuccess) *pdptr = ToAddress(address);
    return error;
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return Driver<"cuIpcCloseMemHandle">(DriverNeeds::kContext, [&] {
    const Error error = SynchronizeDevice(CurrentDeviceState());
    return error != Error::kSuccess ? error
                                    : CloseMemoryHandle(ToPointer(dptr));
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  return Driver<"cuIpcGetEventHandle">(DriverNeeds::kContext, [&] {
    Event* found = FromHandle<Event>(event);
    if (pHandle == nullptr) return Error::kInvalidValue;
    return found == nullptr ? Error::kInvalidHandle
                            : GetEventHandle(*found, pHandle);
  });
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  return Driver<"cuIpcOpenEventHandle">(DriverNeeds::kContext, [&] {
    if (phEvent == nullptr) return Error::kInvalidValue;
    Event* opened = nullptr;
    const Error error = OpenEventHandle(CurrentDeviceState(), &handle, &opened);
    if (error == Error::kSuccess) *phEvent = ToHandle<CUevent>(opened);
    return error;
  });
}
