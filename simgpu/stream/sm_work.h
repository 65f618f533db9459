// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SM_WORK_H_
#define DLTAP_SIMGPU_STREAM_SM_WORK_H_

#include <algorithm>
#include <cstdint>

#include "simgpu/stream/occupancy.h"

namespace dltap::simgpu {

// Range of priorities of every device: lower is more urgent.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

inline int ClampPriority(int priority) {
  return std::clamp(priority, kGreatestPriority, kLeastPriority);
}

// A kernel that asks for SMs.
struct SmWork {
  int64_t begin_ns;  // at the earliest
  int64_t duration_ns;
  SmUnits units;
  int64_t now_ns;
  int priority;
  // Of a stream's launches each begins after the last one's end. That does not
  // hold for the branches of a graph.
  bool in_order = true;

  // What it takes of the SMs, in units x ns.
  int64_t SmTime() const { return duration_ns * units.launch; }
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SM_WORK_H_
