// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_EVENT_H_
#define DLTAP_SIMGPU_STREAM_EVENT_H_

#include <memory>

#include "simgpu/base/error.h"
#include "simgpu/stream/event_state.h"

namespace dltap::simgpu {

struct Device;
struct Stream;

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
