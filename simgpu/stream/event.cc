// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/event.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "simgpu/base/atomic_max.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/open_work.h"
#include "simgpu/stream/timeline.h"
#include "simgpu/stream/work_activity.h"

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
  if (!moment.pending) {
    event.moment = {moment.time_ns, nullptr, event.moment.host_ticket,
                    OrderOfAll()};
  } else if (HostWorkDone(event.moment.host_ticket)) {
    event.moment = event.shared->FollowPending();
    event.moment.order = OrderOfAll();
  }
}

bool IsOver(const Event& event) {
  return HostWorkDone(event.moment.host_ticket) &&
         SimNow() >= event.moment.TimeNs();
}

// An event as it was recorded, for the activity client.
struct Recording {
  SynchronizedEvent event;
  Origin origin;
};

// Takes its time when the stream has reached it, without the gap that a kernel
// needs; it keeps the stream busy until then.
// REQUIRES: stream.mutex; all that comes before has its time.
int64_t Reach(Stream& stream, const Recording& recording) {
  const int64_t submitted_ns = recording.origin.submitted_ns;
  const int64_t time_ns =
      std::max(EarliestBegin(stream, submitted_ns) - kKernelGapNs,
               submitted_ns + kSubmitLatencyNs);
  stream.tail_ns.store(time_ns, std::memory_order_relaxed);
  TellEvent(stream, recording.event, time_ns, recording.origin);
  return time_ns;
}

// REQUIRES: stream.mutex.
[[gnu::cold]] EventMoment ReachLater(Stream& stream,
                                     const Recording& recording) {
  LaterTime later = NewLaterTime();
  const uint64_t ticket = RunOnHost(
      0,
      [&stream, recording, later] {
        const std::lock_guard lock(stream.mutex);
        *later = Reach(stream, recording);
      },
      HostTicketBefore(stream));
  FollowOpenWork(stream, ticket);
  return {0, std::move(later), ticket, stream.line.Now()};
}

// Later work of the stream begins when the moment is over.
// REQUIRES: stream.mutex.
void Follow(Stream& stream, EventMoment moment) {
  stream.line.Join(moment.order);
  if (!moment.IsOpen() && MayBegin(stream)) {
    RaiseTo(stream.tail_ns, moment.TimeNs());
    FollowHostWork(stream.host_ticket, moment.host_ticket);
    return;
  }
  const uint64_t before =
      JoinHostWork(HostTicketBefore(stream), moment.host_ticket);
  FollowOpenWork(
      stream,
      RunOnHost(
          0, [&stream, moment] { RaiseTo(stream.tail_ns, moment.TimeNs()); },
          before));
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
  CurrentThread().puts_work = true;
  SettleOpenWork();
  const std::scoped_lock lock(stream.mutex, event.mutex);
  const int64_t now_ns = SimNow();
  event.record_id = EventRecordsWanted() ? NextEventRecordId() : 0;
  const Recording recording{
      {event.id, event.record_id},
      {now_ns, CurrentThread().correlation_id, {}},
  };
  if (MayBegin(stream)) [[likely]] {
    const int64_t time_ns = Reach(stream, recording);
    SetMoment(event,
              {time_ns, nullptr, HostTicketBefore(stream), stream.line.Now()});
  } else {
    SetMoment(event, ReachLater(stream, recording));
  }
  return Error::kSuccess;
}

void SetMoment(Event& event, EventMoment moment) {
  event.recorded = true;
  event.capture_id = 0;
  event.moment = std::move(moment);
  if (event.shared != nullptr) event.shared->Record(event.moment);
}

Error QueryEvent(Event& event) {
  const Error error = CheckQuery(event);
  if (error != Error::kSuccess) return error;
  if (CurrentThread().puts_work) SettleOpenWork();
  const int64_t begin_ns =
      ActivityWanted(kSynchronizationActivity) ? SimNow() : 0;
  SynchronizedEvent asked{event.id};
  Error result = Error::kSuccess;
  {
    const std::lock_guard lock(event.mutex);
    Refresh(event);
    asked.record_id = event.record_id;
    if (!event.recorded || IsOver(event)) {
      HostLine().Join(event.moment.order);
    } else {
      result = Error::kNotReady;
    }
  }
  TellSynchronization(SynchronizationKind::kEvent, *event.device, nullptr,
                      asked, begin_ns, {.query = true, .error = result});
  return result;
}

Error SynchronizeEvent(Event& event) {
  const Error error = CheckQuery(event);
  if (error != Error::kSuccess) return error;
  EventMoment moment;
  SynchronizedEvent awaited{event.id};
  {
    const std::lock_guard lock(event.mutex);
    Refresh(event);
    if (!event.recorded) return Error::kSuccess;
    moment = event.moment;
    awaited.record_id = event.record_id;
  }
  const int64_t begin_ns = SimNow();
  WaitForHostWork(moment.host_ticket);
  WaitUntil(moment.TimeNs());
  HostLine().Join(moment.order);
  TellSynchronization(SynchronizationKind::kEvent, *event.device, nullptr,
                      awaited, begin_ns);
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
    HostLine().Join(event->moment.order);
  }
  if (start.device != stop.device) return Error::kInvalidHandle;
  *milliseconds = static_cast<float>(
      static_cast<double>(stop.moment.TimeNs() - start.moment.TimeNs()) /
      kNsPerMillisecond);
  return Error::kSuccess;
}

Error WaitForEvent(Stream& stream, Event& event) {
  if (AnyCapture()) {
    const Error captured = CaptureEventWait(stream, event);
    if (captured != Error::kNotReady) return captured;
  }
  SettleOpenWork();
  SynchronizedEvent awaited{event.id};
  {
    const std::scoped_lock lock(stream.mutex, event.mutex);
    Refresh(event);
    if (!event.recorded || event.capture_id != 0) return Error::kSuccess;
    awaited.record_id = event.record_id;
    Follow(stream, event.moment);
  }
  TellSynchronization(SynchronizationKind::kStreamWaitEvent, *stream.device,
                      &stream, awaited, SimNow());
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
