// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/event.h"

#include "shim/simgpu/cudart/conversions.h"
#include "shim/simgpu/cudart/runtime_call.h"
#include "shim/simgpu/device/capture.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudaError_t MakeEvent(cudaEvent_t* event, unsigned flags) {
  return Runtime<kName>(Needs::kContext, [&] {
    if (event == nullptr) return Error::kInvalidValue;
    Event* made = nullptr;
    const Error error = CreateEvent(ActiveDevice(), flags, &made);
    if (error == Error::kSuccess) *event = ToHandle<cudaEvent_t>(made);
    return error;
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Record(cudaEvent_t handle, cudaStream_t stream_handle,
                   unsigned flags) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    Event* event = ToEvent(handle);
    if (event == nullptr) return Error::kInvalidHandle;
    if ((flags & ~unsigned{cudaEventRecordExternal}) != 0)
      return Error::kInvalidValue;
    const bool capturing = stream.capture.load() != nullptr;
    if (flags == cudaEventRecordExternal && capturing) {
      return CaptureWork(stream, EventRecordWork{event});
    }
    return RecordEvent(*event, stream);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Wait(cudaStream_t stream_handle, cudaEvent_t handle,
                 unsigned flags) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    Event* event = ToEvent(handle);
    if (event == nullptr) return Error::kInvalidHandle;
    if ((flags & ~unsigned{cudaEventWaitExternal}) != 0) {
      return Error::kInvalidValue;
    }
    const bool capturing = stream.capture.load() != nullptr;
    if (flags == cudaEventWaitExternal && capturing) {
      return CaptureWork(stream, EventWaitWork{event});
    }
    return WaitForEvent(stream, *event);
  });
}

template <ApiName kName, typename Body>
cudaError_t OnEvent(cudaEvent_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Event* event = ToEvent(handle);
    if (event == nullptr) return Error::kInvalidHandle;
    return body(*event);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return MakeEvent<"cudaEventCreate">(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return MakeEvent<"cudaEventCreateWithFlags">(event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return OnEvent<"cudaEventDestroy">(event,
                                     [](Event& e) { return DestroyEvent(e); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return Record<"cudaEventRecord">(event, stream, 0);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return Record<"cudaEventRecord_ptsz", kPtsz>(event, stream, 0);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int flags) {
  return Record<"cudaEventRecordWithFlags">(event, stream, flags);
}

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event,
                                          cudaStream_t stream,
                                          unsigned int flags) {
  return Record<"cudaEventRecordWithFlags_ptsz", kPtsz>(event, stream, flags);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return OnEvent<"cudaEventQuery">(event,
                                   [](Event& e) { return QueryEvent(e); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return OnEvent<"cudaEventSynchronize">(
      event, [](Event& e) { return SynchronizeEvent(e); });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start,
                                 cudaEvent_t end) {
  return Runtime<"cudaEventElapsedTime">(Needs::kContext, [&] {
    Event* first = ToEvent(start);
    Event* second = ToEvent(end);
    if (first == nullptr || second == nullptr) return Error::kInvalidHandle;
    if (ms == nullptr) return Error::kInvalidValue;
    return ElapsedTime(*first, *second, ms);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags) {
  return Wait<"cudaStreamWaitEvent">(stream, event, flags);
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event,
                                     unsigned int flags) {
  return Wait<"cudaStreamWaitEvent_ptsz", kPtsz>(stream, event, flags);
}
