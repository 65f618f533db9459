// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/capture.h"
#include "simgpu/memory/ipc_memory.h"
#include "simgpu/stream/ipc_event.h"

namespace dltap::simgpu {

static_assert(sizeof(CUipcMemHandle) == kIpcHandleBytes);
static_assert(sizeof(CUipcEventHandle) == kIpcHandleBytes);

namespace body {

Error IpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  return pHandle == nullptr ? Error::kInvalidValue
                            : GetMemoryHandle(ToPointer(dptr), pHandle);
}

Error IpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle,
                       unsigned Flags) {
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
}

Error IpcCloseMemHandle(CUdeviceptr dptr) {
  const Error error = SynchronizeDevice(CurrentDeviceState());
  return error != Error::kSuccess ? error : CloseMemoryHandle(ToPointer(dptr));
}

Error IpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  Event* found = FromHandle<Event>(event);
  if (pHandle == nullptr) return Error::kInvalidValue;
  return found == nullptr ? Error::kInvalidHandle
                          : GetEventHandle(*found, pHandle);
}

Error IpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  if (phEvent == nullptr) return Error::kInvalidValue;
  Event* opened = nullptr;
  const Error error = OpenEventHandle(CurrentDeviceState(), &handle, &opened);
  if (error == Error::kSuccess) *phEvent = ToHandle<CUevent>(opened);
  return error;
}

}  // namespace body
}  // namespace dltap::simgpu
