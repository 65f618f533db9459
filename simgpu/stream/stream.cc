// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/stream.h"

#include <algorithm>
#include <mutex>

#include "simgpu/base/activity.h"
#include "simgpu/base/atomic_max.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/device_listener.h"
#include "simgpu/stream/green_context.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/open_work.h"
#include "simgpu/stream/timeline.h"
#include "simgpu/stream/work_activity.h"

namespace dltap::simgpu {
namespace {

void TellStream(ResourceEvent event, Stream& stream) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = event,
                                .context = stream.device->primary_context,
                                .handle = &stream});
}

Stream* PerThreadStream() {
  ThreadState& thread = CurrentThread();
  Stream*& stream = thread.per_thread_streams[thread.device];
  if (stream == nullptr) {
    Device& device = CurrentDeviceState();
    stream = MakeStream(device, 0, 0);
    device.blocking_streams.fetch_add(1);
  }
  return stream;
}

struct DeviceEnd {
  int64_t tail_ns;
  uint64_t host_ticket;
};

DeviceEnd EndOf(Device& device) {
  DeviceEnd end{device.retired_tail_ns.load(),
                device.retired_host_ticket.load()};
  const std::lock_guard lock(device.streams_mutex);
  for (const Stream* stream : device.streams) {
    end.tail_ns = std::max(end.tail_ns, stream->tail_ns.load());
    end.host_ticket = JoinHostWork(end.host_ticket, stream->host_ticket.load());
  }
  return end;
}

// The work goes on without its stream.
void Retire(Stream& stream) {
  Device& device = *stream.device;
  RaiseTo(device.retired_tail_ns, stream.tail_ns.load());
  FollowHostWork(device.retired_host_ticket, stream.host_ticket.load());
  {
    const std::lock_guard lock(device.streams_mutex);
    std::erase(device.streams, &stream);
  }
  if (stream.blocking()) device.blocking_streams.fetch_sub(1);
  LeaveSms(*stream.sm_sharing, stream.sms);
  HandlePool<Stream>::Delete(&stream);
}

Error WaitForAllStreams(Device& device) {
  const int64_t begin_ns = SimNow();
  const Order order = OrderOfAll();
  const DeviceEnd end = EndOf(device);
  WaitForHostWork(end.host_ticket);
  WaitUntil(EndOf(device).tail_ns);
  HostLine().Join(order);
  kDeviceListener.synchronized(device);
  TellSynchronization(SynchronizationKind::kContext, device, nullptr, {},
                      begin_ns);
  return StickyErrorOf(device);
}

}  // namespace

Error CreateStream(Device& device, unsigned flags, int priority,
                   Stream** stream) {
  if ((flags & ~kStreamNonBlocking) != 0) return Error::kInvalidValue;
  *stream = MakeStream(device, flags, priority);
  const ThreadState& thread = CurrentThread();
  if (!thread.contexts.empty()) {
    GreenContext* green = GreenContextOf(thread.contexts.back());
    if (green != nullptr) EnterGreenContext(**stream, *green);
  }
  if ((*stream)->blocking()) device.blocking_streams.fetch_add(1);
  TellStream(ResourceEvent::kStreamCreated, **stream);
  return Error::kSuccess;
}

Error DestroyStream(Stream& stream) {
  Device& device = *stream.device;
  if (stream.legacy) return Error::kInvalidHandle;
  AbandonCapture(stream);
  TellStream(ResourceEvent::kStreamDestroyed, stream);
  stream.tag = 0;
  const uint64_t open = stream.open_ticket.load();
  if (HostWorkDone(open)) {
    Retire(stream);
  } else {
    // Open work, and what follows it, still has to find its time.
    FollowHostWork(device.retired_host_ticket,
                   RunOnHost(
                       0, [&stream] { Retire(stream); }, open));
  }
  return Error::kSuccess;
}

Stream* ResolveStream(const void* handle, DefaultStream null_means) {
  const auto value = reinterpret_cast<uintptr_t>(handle);
  if (value == kPerThreadStreamHandle ||
      (value == 0 && null_means == DefaultStream::kPerThread)) {
    return PerThreadStream();
  }
  if (value <= kLegacyStreamHandle) return CurrentDeviceState().legacy_stream;
  return FromHandle<Stream>(handle);
}

int64_t StreamTail(Stream& stream) { return TailBefore(stream); }

int64_t DeviceTail(Device& device) { return EndOf(device).tail_ns; }

Error SynchronizeStream(Stream& stream) {
  if (const Error error = RefuseWhileCapturing(stream);
      error != Error::kSuccess) {
    return error;
  }
  const int64_t begin_ns = SimNow();
  const Order order = stream.line.Now();
  WaitForHostWork(HostTicketBefore(stream));
  WaitUntil(StreamTail(stream));
  HostLine().Join(order);
  TellSynchronization(SynchronizationKind::kStream, *stream.device, &stream, {},
                      begin_ns);
  return StickyErrorOf(*stream.device);
}

Error QueryStream(Stream& stream) {
  if (const Error error = RefuseWhileCapturing(stream);
      error != Error::kSuccess) {
    return error;
  }
  if (CurrentThread().puts_work) SettleOpenWork();
  const int64_t now_ns = SimNow();
  const Order order = stream.line.Now();
  const bool over =
      HostWorkDone(HostTicketBefore(stream)) && StreamTail(stream) <= SimNow();
  if (over) HostLine().Join(order);
  const Error result = over ? Error::kSuccess : Error::kNotReady;
  TellSynchronization(SynchronizationKind::kStream, *stream.device, &stream, {},
                      now_ns, {.query = true, .error = result});
  return result;
}

Error SynchronizeDevice(Device& device) {
  const Error error = RefuseWhileDeviceCaptures(device);
  return error == Error::kSuccess ? WaitForAllStreams(device) : error;
}

Error WaitForDevice(Device& device) {
  const Error error = CheckUnsafeCall();
  return error == Error::kSuccess ? WaitForAllStreams(device) : error;
}

}  // namespace dltap::simgpu
