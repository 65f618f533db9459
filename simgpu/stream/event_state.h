// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_EVENT_STATE_H_
#define DLTAP_SIMGPU_STREAM_EVENT_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "simgpu/base/handle.h"
#include "simgpu/stream/event_moment.h"
#include "simgpu/stream/shared_event.h"

namespace dltap::simgpu {

struct Device;

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
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_EVENT_STATE_H_
