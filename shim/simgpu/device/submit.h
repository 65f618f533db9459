// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SUBMIT_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SUBMIT_H_

#include <cstdint>

#include "shim/simgpu/device/error.h"
#include "shim/simgpu/device/stream.h"
#include "shim/simgpu/device/timeline.h"
#include "shim/simgpu/device/work.h"

namespace dltap::simgpu {

// Puts work on a stream: captures it as a node while the stream captures; else
// gives it its time, does its memory effect and tells the activity client.
// Takes the stream's mutex and no other on the way of a kernel.
Error Submit(Stream& stream, Work work);

// What a graph launch adds to the activity of its nodes.
struct GraphPlace {
  uint32_t graph_id = 0;
  uint64_t node_id = 0;
};

// The last two of Submit()'s three acts, for work whose time is fixed.
// REQUIRES: stream.mutex.
void Execute(Stream& stream, const Work& work, Span span, int64_t submitted_ns,
             GraphPlace graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SUBMIT_H_
