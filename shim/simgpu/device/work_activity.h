// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_

#include <cstdint>

#include "shim/simgpu/device/activity.h"
#include "shim/simgpu/device/stream.h"
#include "shim/simgpu/device/submit.h"
#include "shim/simgpu/device/timeline.h"
#include "shim/simgpu/device/work.h"

namespace dltap::simgpu {

// Hands the record of executed work to the activity client.
void TellActivity(const Stream& stream, const Work& work, const Span& span,
                  int64_t submitted_ns, GraphPlace graph);

// A synchronisation that lasted from begin_ns to now. `stream` null: the whole
// context; `event_id` 0: none.
void TellSynchronization(SynchronizationKind kind, const Device& device,
                         const Stream* stream, uint32_t event_id,
                         int64_t begin_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_WORK_ACTIVITY_H_
