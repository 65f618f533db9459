// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_EVENT_MOMENT_H_
#define DLTAP_SIMGPU_STREAM_EVENT_MOMENT_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "simgpu/bytes/work_order.h"
#include "simgpu/stream/host_executor.h"

namespace dltap::simgpu {

// A time that is known when a job is over.
using LaterTime = std::shared_ptr<std::atomic<int64_t>>;

inline LaterTime NewLaterTime() {
  return std::make_shared<std::atomic<int64_t>>(0);
}

// When an event is over: at a time, and not before the host work of the ticket.
// Behind open work (open_work.h) the time, `later`, is known only then.
struct EventMoment {
  int64_t time_ns = 0;
  LaterTime later;  // null: time_ns counts
  uint64_t host_ticket = 0;
  Order order = nullptr;  // of what comes before

  bool IsOpen() const { return later && !HostWorkDone(host_ticket); }
  // REQUIRES: not IsOpen().
  int64_t TimeNs() const { return later ? later->load() : time_ns; }
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_EVENT_MOMENT_H_
