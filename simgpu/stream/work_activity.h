// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_WORK_ACTIVITY_H_
#define DLTAP_SIMGPU_STREAM_WORK_ACTIVITY_H_

#include <cstdint>

#include "simgpu/base/activity.h"
#include "simgpu/bytes/work_order.h"
#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/timeline.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// What a graph launch adds to the activity of its nodes.
struct GraphPlace {
  uint32_t graph_id = 0;
  uint64_t node_id = 0;
};

// Where work comes from.
struct Origin {
  int64_t submitted_ns = 0;
  uint32_t correlation_id = 0;
  GraphPlace graph;
  Order order = nullptr;  // where it touches memory in a known way
};

// Hands the record of executed work to the activity client, if it wants it.
void TellActivity(const Stream& stream, const Work& work, const Span& span,
                  const Origin& origin);

// An event in a synchronisation; id 0: none.
struct SynchronizedEvent {
  uint32_t id = 0;
  uint64_t record_id = 0;
};
struct SynchronizationResult {
  bool query = false;
  Error error = Error::kSuccess;
};

// A synchronisation that lasted from begin_ns to now. `stream` null: the whole
// context.
void TellSynchronization(SynchronizationKind kind, const Device& device,
                         const Stream* stream, SynchronizedEvent event,
                         int64_t begin_ns, SynchronizationResult result = {});

// An event's record ids are counted only while a client would see them.
inline bool EventRecordsWanted() {
  return ActivityWanted(kEventActivity | kSynchronizationActivity);
}
uint64_t NextEventRecordId();
void TellEvent(const Stream& stream, SynchronizedEvent event, int64_t time_ns,
               const Origin& origin);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_WORK_ACTIVITY_H_
