// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_

#include <cstdint>

#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/stream.h"
#include "shim/simgpu/device/timeline.h"
#include "shim/simgpu/device/work.h"

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
};

// Hands the record of executed work to the activity client, if it wants it.
void TellActivity(const Stream& stream, const Work& work, const Span& span,
                  const Origin& origin);

// A synchronisation that lasted from begin_ns to now. `stream` null: the whole
// context; `event_id` 0: none.
void TellSynchronization(SynchronizationKind kind, const Device& device,
                         const Stream* stream, uint32_t event_id,
                         int64_t begin_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_
