// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_EVENT_H_
#define DLTAP_SIMGPU_STREAM_EVENT_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/graph/graph_edge.h"
#include "simgpu/memory/ipc_event.h"
#include "simgpu/stream/event_moment.h"

namespace dltap::simgpu {

struct Capture;
struct Device;
struct GraphNode;
struct Stream;

// Numbered as cudaEventBlockingSync ... and CU_EVENT_*.
constexpr unsigned kEventBlockingSync = 1;
constexpr unsigned kEventDisableTiming = 2;
constexpr unsigned kEventInterprocess = 4;
constexpr unsigned kEventFlags =
    kEventBlockingSync | kEventDisableTiming | kEventInterprocess;

// A CUevent / cudaEvent_t: a moment on a device's timeline, or a place in a
// capture.
struct Event : Handle {
  static constexpr uint32_t kTag = 0x45564e54;  // "EVNT"
  Event(Device* owner, unsigned event_flags, uint32_t event_id)
      : Handle(kTag), device(owner), flags(event_flags), id(event_id) {}

  Device* const device;
  const unsigned flags;
  const uint32_t id;
  // Of an interprocess event: every process that records it writes there.
  std::unique_ptr<SharedEvent> shared;

  std::mutex mutex;  // guards what follows
  bool recorded = false;
  EventMoment moment;
  uint64_t record_id = 0;   // work_activity.h; 0: no client listened
  uint64_t capture_id = 0;  // last recorded in this capture; 0: not captured
  Frontier frontier;
};

// The event was recorded and is over at the moment. REQUIRES: event.mutex.
void SetMoment(Event& event, EventMoment moment);

Error CreateEvent(Device& device, unsigned flags, Event** event);
// For an event of another process.
Error AdoptSharedEvent(Device& device, unsigned flags,
                       std::unique_ptr<SharedEvent> shared, Event** event);
Error DestroyEvent(Event& event);
Error RecordEvent(Event& event, Stream& stream);
Error QueryEvent(Event& event);
Error SynchronizeEvent(Event& event);
Error ElapsedTime(Event& start, Event& stop, float* milliseconds);

// Later work of the stream waits for the event (cudaStreamWaitEvent).
Error WaitForEvent(Stream& stream, Event& event);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_EVENT_H_
