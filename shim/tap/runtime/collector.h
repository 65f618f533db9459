// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_

#include <cstdint>
#include <span>

#include "shim/trace/encoder.h"

namespace dltap::shim {

inline constexpr uint64_t kPassPeriodNs = 100'000'000;

// The thread `dltap`: prepares rings, drains them, writes the data file, takes
// samples. Everything that may block happens here, with all signals blocked.

// Starts it. False: the system refused a thread.
bool StartCollector();

// Asks for a pass soon. Any thread, also a signal handler; one futex call, and
// only when the collector sleeps.
void WakeCollector();

// What a caller of FinishPass() wants.
enum class Finish : uint32_t {
  kDrain = 0,  // everything recorded so far is in the data file
  kExit = 1,   // and participants have handed over what they hold
  kEnd = 2,    // and the trace is closed; the collector ends
};

// Asks for a pass and waits until it is done, at most `patience_ns`. False: not
// done in time.
bool FinishPass(Finish what, uint64_t patience_ns);

// What takes part in the collector's work, registered by its owners before the
// session starts; each function may be null. All run on the collector.
struct CollectorParticipant {
  // Once, at its begin: definitions may be written now.
  void (*start)();
  // Each pass, before rings and definitions are drained.
  void (*pass)();
  // Slots about to be written, in order, per thread.
  void (*observe)(std::span<const trace::CallSlot> slots,
                  uint32_t thread_index);
  // The process exits: hand over what is left before `deadline_ns` (monotonic).
  void (*exit)(uint64_t deadline_ns);
};
void AddParticipant(const CollectorParticipant& participant);

// Blocks of activities and samples, for participants. Collector only. Records
// are gathered and written when the buffer is full and at the end of each pass.
template <typename Record, typename... Pieces>
void WriteRecord(trace::BlockKind kind, const Record& record,
                 const Pieces&... pieces);

// The buffer behind WriteRecord(): a builder with room for `bytes` of that kind
// of block; flushes what it holds when it must.
trace::BlockBuilder& BuilderFor(trace::BlockKind kind, size_t bytes);

template <typename Record, typename... Pieces>
void WriteRecord(trace::BlockKind kind, const Record& record,
                 const Pieces&... pieces) {
  const size_t bytes = (sizeof(Record) + ... + pieces.encoded_bytes()) + 8;
  BuilderFor(kind, bytes).Append(record, pieces...);
}

// The thread of that tid, as blocks and records name it; trace::kNoIndex when
// it is not recorded. Collector only.
uint32_t ThreadIndexOf(uint32_t tid);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_H_
