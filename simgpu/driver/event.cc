// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/event.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/capture.h"

namespace dltap::simgpu {
namespace {

template <typename Use>
Error WithEvent(CUevent handle, Use use) {
  return With<Event>(handle, use, Error::kInvalidHandle);
}

}  // namespace

namespace body {

Error EventCreate(CUevent* out, unsigned flags) {
  if (out == nullptr) return Error::kInvalidValue;
  Event* event = nullptr;
  const Error error = CreateEvent(CurrentDeviceState(), flags, &event);
  if (error == Error::kSuccess) *out = ToHandle<CUevent>(event);
  return error;
}

Error EventDestroy(CUevent handle) { return WithEvent(handle, DestroyEvent); }

Error EventRecord(CUevent handle, Stream& stream) {
  return EventRecordWithFlags(handle, stream, 0);
}

Error EventRecordWithFlags(CUevent handle, Stream& stream, unsigned flags) {
  return WithEvent(handle, [&](Event& event) {
    if ((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) != 0) {
      return Error::kInvalidValue;
    }
    if (flags != 0 && stream.capture.load() != nullptr) {
      return CaptureWork(stream, EventRecordWork{&event});
    }
    return RecordEvent(event, stream);
  });
}

Error StreamWaitEvent(Stream& stream, CUevent handle, unsigned flags) {
  return WithEvent(handle, [&](Event& event) {
    if ((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) != 0) {
      return Error::kInvalidValue;
    }
    if (flags != 0 && stream.capture.load() != nullptr) {
      return CaptureWork(stream, EventWaitWork{&event});
    }
    return WaitForEvent(stream, event);
  });
}

Error EventQuery(CUevent handle) { return WithEvent(handle, QueryEvent); }

Error EventSynchronize(CUevent handle) {
  return WithEvent(handle, SynchronizeEvent);
}

Error EventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return WithEvent(start, [&](Event& first) {
    return WithEvent(end, [&](Event& second) {
      if (milliseconds == nullptr) return Error::kInvalidValue;
      return ElapsedTime(first, second, milliseconds);
    });
  });
}

}  // namespace body
}  // namespace dltap::simgpu
