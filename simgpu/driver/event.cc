// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/event.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/capture.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
CUresult OnEvent(CUevent handle, Body body) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    Event* event = FromHandle<Event>(handle);
    return event == nullptr ? Error::kInvalidHandle : body(*event);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Record(CUevent handle, CUstream stream_handle, unsigned flags) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    Event* event = FromHandle<Event>(handle);
    if (event == nullptr) return Error::kInvalidHandle;
    if ((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) != 0) {
      return Error::kInvalidValue;
    }
    if (flags != 0 && stream.capture.load() != nullptr) {
      return CaptureWork(stream, EventRecordWork{event});
    }
    return RecordEvent(*event, stream);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Wait(CUstream stream_handle, CUevent handle, unsigned flags) {
  return OnStream<kName, kNull>(stream_handle, [&](Stream& stream) {
    Event* event = FromHandle<Event>(handle);
    if (event == nullptr) return Error::kInvalidHandle;
    if ((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) != 0) {
      return Error::kInvalidValue;
    }
    if (flags != 0 && stream.capture.load() != nullptr) {
      return CaptureWork(stream, EventWaitWork{event});
    }
    return WaitForEvent(stream, *event);
  });
}

template <ApiName kName>
CUresult Elapsed(float* milliseconds, CUevent start, CUevent end) {
  return OnEvent<kName>(start, [&](Event& first) {
    Event* second = FromHandle<Event>(end);
    if (second == nullptr) return Error::kInvalidHandle;
    if (milliseconds == nullptr) return Error::kInvalidValue;
    return ElapsedTime(first, *second, milliseconds);
  });
}

template <ApiName kName>
CUresult Destroy(CUevent handle) {
  return OnEvent<kName>(handle,
                        [](Event& event) { return DestroyEvent(event); });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags) {
  return Driver<"cuEventCreate">(DriverNeeds::kContext, [&] {
    if (phEvent == nullptr) return Error::kInvalidValue;
    Event* event = nullptr;
    const Error error = CreateEvent(CurrentDeviceState(), Flags, &event);
    if (error == Error::kSuccess) *phEvent = ToHandle<CUevent>(event);
    return error;
  });
}

CUresult cuEventDestroy(CUevent hEvent) {
  return Destroy<"cuEventDestroy">(hEvent);
}

CUresult cuEventDestroy_v2(CUevent hEvent) {
  return Destroy<"cuEventDestroy_v2">(hEvent);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return Record<"cuEventRecord">(hEvent, hStream, 0);
}

CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream) {
  return Record<"cuEventRecord_ptsz", kPtsz>(hEvent, hStream, 0);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream,
                                unsigned int flags) {
  return Record<"cuEventRecordWithFlags">(hEvent, hStream, flags);
}

CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream,
                                     unsigned int flags) {
  return Record<"cuEventRecordWithFlags_ptsz", kPtsz>(hEvent, hStream, flags);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent,
                           unsigned int Flags) {
  return Wait<"cuStreamWaitEvent">(hStream, hEvent, Flags);
}

CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent,
                                unsigned int Flags) {
  return Wait<"cuStreamWaitEvent_ptsz", kPtsz>(hStream, hEvent, Flags);
}

CUresult cuEventQuery(CUevent hEvent) {
  return OnEvent<"cuEventQuery">(
      hEvent, [](Event& event) { return QueryEvent(event); });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return OnEvent<"cuEventSynchronize">(
      hEvent, [](Event& event) { return SynchronizeEvent(event); });
}

CUresult cuEventElapsedTime(float* pMilliseconds, CUevent hStart,
                            CUevent hEnd) {
  return Elapsed<"cuEventElapsedTime">(pMilliseconds, hStart, hEnd);
}

CUresult cuEventElapsedTime_v2(float* pMilliseconds, CUevent hStart,
                               CUevent hEnd) {
  return Elapsed<"cuEventElapsedTime_v2">(pMilliseconds, hStart, hEnd);
}
