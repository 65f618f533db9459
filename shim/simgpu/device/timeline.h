// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_TIMELINE_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_TIMELINE_H_

#include <cstdint>

#include "shim/simgpu/device/stream.h"
#include "shim/simgpu/device/work.h"

namespace dltap::simgpu {

// The rules of device time:
// 1. Work starts no earlier than kSubmitLatencyNs after its call began to
//    submit it, and kKernelGapNs after what stands before it in its stream.
// 2. The legacy stream and the blocking streams of a device wait for each
// other;
//    all other streams overlap freely. Kernels of different streams do not slow
//    each other down: contention for SMs is not modelled.
// 3. Each copy engine (one per direction) does one copy at a time, in the order
//    of submission. Copies inside the device and memsets use no engine.
constexpr int64_t kSubmitLatencyNs = 3'000;
constexpr int64_t kKernelGapNs = 900;
constexpr int64_t kGraphNodeGapNs = 500;

struct Span {
  int64_t begin_ns;
  int64_t end_ns;
};

// How long the work takes on this device, alone.
int64_t DurationOf(const Work& work, const Device& device);

// The same, remembered per stream for kernels: programs repeat few geometries.
// REQUIRES: stream.mutex.
int64_t DurationOn(Stream& stream, const Work& work);

// When everything is over that the stream's next work follows (rule 2).
int64_t TailBefore(Stream& stream);

// Applies rules 1 and 2 to the next work of the stream.
// REQUIRES: stream.mutex.
int64_t EarliestBegin(Stream& stream, int64_t now_ns);

// Applies rule 3; `begin_ns` is the earliest time by the other rules.
Span Occupy(Device& device, const Work& work, int64_t begin_ns,
            int64_t duration_ns);

// Host functions that the stream's next work must follow (rule 2 included).
uint64_t HostTicketBefore(Stream& stream);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_TIMELINE_H_
