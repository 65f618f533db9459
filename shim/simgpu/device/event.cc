// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/event.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "shim/simgpu/device/atomic_max.h"
#include "shim/simgpu/device/capture.h"
#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/host_executor.h"
#include "shim/simgpu/device/timeline.h"
#include "shim/simgpu/device/work_activity.h"

namespace dltap::simgpu {
namespace {

constexpr double kNsPerMillisecond = 1e6;

constinit std::atomic<uint32_t> g_last_event_id{0};

// Takes over what another process has recorded since.
// REQUIRES: event.mutex.
void Refresh(Event& event) {
  if (event.shared == nullptr) return;
  const SharedEvent::Moment moment = event.shared->Read();
  if (!moment.recorded) return;
  event.recorded = true;
  event.time_ns = moment.time_ns;
  if (moment.pending && HostWorkDone(event.host_ticket)) {
    event.host_ticket = event.shared->FollowPending();
  }
}

bool IsOver(const Event& event) {
  return SimNow() >= event.time_ns && HostWorkDone(event.host_ticket);
}

Error CheckCaptured(Event& event) {
  {
    const std::lock_guard lock(event.mutex);
    if (event.capture_id == 0) return Error::kSuccess;
  }
  return RefuseCapturedEvent(event);
}

// Asking for an event is potentially unsafe while a stream captures, and
// conflicts with the capture that it was recorded in.
Error CheckQuery(Event& event) {
  const Error captured = CheckCaptured(event);
  return captured == Error::kSuccess ? CheckUnsafeCall() : captured;
}

}  // namespace

Error CreateEvent(Device& device, unsigned flags, Event** event) {
  if ((flags & ~kEventFlags) != 0) return Error::kInvalidValue;
  // A shareable event cannot be timed.
  if ((flags & kEventInterprocess) != 0 && (flags & kEventDisableTiming) == 0) {
    return Error::kInvalidValue;
  }
  std::unique_ptr<SharedEvent> shared;
  if ((flags & kEventInterprocess) != 0) {
    shared = SharedEvent::New();
    if (shared == nullptr) return Error::kOutOfMemory;
  }
  return AdoptSharedEvent(device, flags, std::move(shared), event);
}

Error AdoptSharedEvent(Device& device, unsigned flags,
                       std::unique_ptr<SharedEvent> shared, Event** event) {
  *event =
      HandlePool<Event>::New(&device, flags, g_last_event_id.fetch_add(1) + 1);
  (*event)->shared = std::move(shared);
  return Error::kSuccess;
}

Error DestroyEvent(Event& event) {
  HandlePool<Event>::Delete(&event);
  return Error::kSuccess;
}

Error RecordEvent(Event& event, Stream& stream) {
  if (event.device != stream.device) return Error::kInvalidHandle;
  if (stream.capture.load(std::memory_order_acquire) != nullptr) {
    return CaptureEventRecord(event, stream);
  }
  if (const Error error = CheckImplicitCapture(stream);
      error != Error::kSuccess) {
    return error;
  }
  const std::scoped_lock lock(stream.mutex, event.mutex);
  // An event takes its time when the stream has reached it, without the gap
  // that a kernel needs; it keeps the stream busy until then.
  const int64_t now_ns = SimNow();
  const int64_t time_ns = std::max(EarliestBegin(stream, now_ns) - kKernelGapNs,
                                   now_ns + kSubmitLatencyNs);
  stream.tail_ns.store(time_ns, std::memory_order_relaxed);
  event.recorded = true;
  event.capture_id = 0;
  event.frontier.Clear();
  event.time_ns = time_ns;
  event.host_ticket = HostTicketBefore(stream);
  if (event.shared != nullptr) {
    event.shared->Record(time_ns, event.host_ticket);
  }
  return Error::kSuccess;
}

Error QueryEvent(Event& event) {
  const Error error = CheckQuery(event);
  if (error != Error::kSuccess) return error;
  const std::lock_guard lock(event.mutex);
  Refresh(event);
  if (!event.recorded) return Error::kSuccess;
  return IsOver(event) ? Error::kSuccess : Error::kNotReady;
}

Error SynchronizeEvent(Event& event) {
  const Error error = CheckQuery(event);
  if (error != Error::kSuccess) return error;
  int64_t time_ns = 0;
  uint64_t ticket = 0;
  {
    const std::lock_guard lock(event.mutex);
    Refresh(event);
    if (!event.recorded) return Error::kSuccess;
    time_ns = event.time_ns;
    ticket = event.host_ticket;
  }
  const int64_t begin_ns = SimNow();
  WaitUntil(time_ns);
  WaitForHostWork(ticket);
  TellSynchronization(SynchronizationKind::kEvent, *event.device, nullptr,
                      event.id, begin_ns);
  return StickyErrorOf(*event.device);
}

Error ElapsedTime(Event& start, Event& stop, float* milliseconds) {
  for (Event* event : {&start, &stop}) {
    if ((event->flags & kEventDisableTiming) != 0) return Error::kInvalidHandle;
    const Error captured = CheckCaptured(*event);
    if (captured != Error::kSuccess) return captured;
    const std::lock_guard lock(event->mutex);
    if (!event->recorded) return Error::kInvalidHandle;
    if (!IsOver(*event)) return Error::kNotReady;
  }
  if (start.device != stop.device) return Error::kInvalidHandle;
  *milliseconds = static_cast<float>(
      static_cast<double>(stop.time_ns - start.time_ns) / kNsPerMillisecond);
  return Error::kSuccess;
}

Error WaitForEvent(Stream& stream, Event& event) {
  if (AnyCapture()) {
    const Error captured = CaptureEventWait(stream, event);
    if (captured != Error::kNotReady) return captured;
  }
  {
    const std::scoped_lock lock(stream.mutex, event.mutex);
    Refresh(event);
    if (!event.recorded || event.capture_id != 0) return Error::kSuccess;
    RaiseTo(stream.tail_ns, event.time_ns);
    FollowHostWork(stream.host_ticket, event.host_ticket);
  }
  TellSynchronization(SynchronizationKind::kStreamWaitEvent, *stream.device,
                      &stream, event.id, SimNow());
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
