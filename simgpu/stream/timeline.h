// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_TIMELINE_H_
#define DLTAP_SIMGPU_STREAM_TIMELINE_H_

#include <atomic>
#include <cstdint>

#include "simgpu/stream/gaps.h"
#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// The rules of device time:
// 1. Work starts no earlier than kSubmitLatencyNs after its call began to
//    submit it, and kKernelGapNs after what stands before it in its stream: at
//    once when it is a kernel that was launched as programmatically dependent.
// 2. The legacy stream and the blocking streams of a device wait for each
// other;
//    all other streams overlap as far as rules 3 and 4 let them.
// 3. Kernels share the SMs: each takes what its resident blocks need and waits,
//    or takes longer, when earlier ones left less (sm_profile.h).
// 4. Each copy engine (one per direction) does one copy at a time, in the order
//    of submission. Copies inside the device and memsets use no engine.

struct Span {
  int64_t begin_ns;
  int64_t end_ns;
};

// When everything is over that the stream's next work follows (rule 2).
int64_t TailBefore(Stream& stream);

// Applies rules 1 and 2 to the next work of the stream.
// REQUIRES: stream.mutex.
int64_t EarliestBegin(Stream& stream, int64_t now_ns,
                      int64_t gap_ns = kKernelGapNs);

// What rule 1 wants before this work.
int64_t GapBefore(const Work& work);

struct Readiness {
  int64_t begin_ns;  // the earliest time by rules 1 and 2
  int64_t now_ns;
  int priority;
  bool in_order = true;  // false: a branch of a graph, beside others
};

// Applies rules 3 and 4: when the work runs. REQUIRES: stream.mutex.
Span Occupy(Stream& stream, const Work& work, const Readiness& ready);

// Host functions that the stream's next work must follow (rule 2 included).
uint64_t HostTicketBefore(Stream& stream);

// The same of any kind of ticket.
uint64_t TicketBefore(Stream& stream, std::atomic<uint64_t> Stream::*kind);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_TIMELINE_H_
