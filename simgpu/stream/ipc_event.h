// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_IPC_EVENT_H_
#define DLTAP_SIMGPU_STREAM_IPC_EVENT_H_

#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct Device;
struct Event;

// `handle` is of kIpcHandleBytes. kInvalidHandle: the event was not made for
// it.
Error GetEventHandle(Event& event, void* handle);

// kInvalidContext: made in this process; kInvalidHandle: no handle;
// kMapFailed: the event is destroyed or its process has ended.
Error OpenEventHandle(Device& device, const void* handle, Event** event);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_IPC_EVENT_H_
