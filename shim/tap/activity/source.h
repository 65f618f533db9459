// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_SOURCE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_SOURCE_H_

#include <cstdint>

#include "shim/trace/layout.h"
#include "shim/trace/losses.h"
#include "shim/trace/records.h"

// Where records of what devices did come from. One implementation per vendor's
// profiler, in a folder of its own; cupti/ is the one today. Both sides are
// plain function pointers: the tap has no C++ run-time library for virtual
// calls, and tests put a fake on either side.
namespace dltap::shim {

// The vendor's function of that name, never a wrapper; nullptr when no loaded
// library has it.
using RealFinder = void* (*)(const char* symbol);

// What a source needs of the runtime. All are set. "Collector" functions are
// called on the collector thread only.
struct SourceRuntime {
  // ---- Any thread
  // Number of the session that the source was started for, also after its
  // trace has ended; 0 in a forked child.
  uint32_t (*session)();
  bool (*recording)();  // false: the session is paused, nothing is wanted
  // The tool that CUDA_INJECTION64_PATH names is us: the driver called us.
  bool (*is_injected)();
  RealFinder real;
  // The outermost wrapped call in progress on this thread; false: none.
  bool (*current_call)(uint32_t* thread_index, uint64_t* begin_ticks);
  // Inside the vendor's library: work with that correlation id is given to a
  // device by the outermost wrapped call in progress on this thread.
  void (*launched)(uint64_t correlation);
  // Library calls push external correlation ids from now on, or no more.
  void (*set_pushing)(bool on);
  void (*lost)(trace::LossKind loss, uint64_t count);
  uint64_t (*monotonic_ns)();
  void (*wake)();  // a pass of the collector is wanted now

  // ---- Collector
  // Encoded records of the trace, for a block of that kind.
  void (*append)(trace::BlockKind kind, const uint8_t* records, uint32_t bytes);
  // One encoded definition; false: it found no room.
  bool (*define)(const uint8_t* record, uint32_t bytes);
  // Id of a text, defined if need be; 0: it found no room.
  uint32_t (*text)(const char* text, uint32_t bytes);
  // Recorded calls that put work on a stream and have an API record, so far.
  uint64_t (*submissions)();
  // Index of a recorded thread, by tid or by the low half of pthread_self();
  // trace::kNoIndex: not one we know.
  uint32_t (*thread_index)(uint32_t id);
  // From here on. `why` is empty when the level is the one asked for.
  void (*level)(trace::Level level, const char* why);
};

// What the runtime needs of a source. All are set.
struct ActivitySource {
  // ---- Collector
  // A session of level `kernels` begins. A source that cannot trace says why
  // through SourceRuntime::level, and the session goes on without it.
  void (*start)(const SourceRuntime& runtime);
  // Each drain: hands over what has been delivered.
  void (*pass)();
  // The process exits. The last records, also of what still runs; afterwards
  // the vendor's library is not called again. It may not come back: the process
  // goes on when `is_awaited()` has become false, and ends.
  void (*finish)(bool (*is_awaited)());
  // The trace takes no more, the process goes on: switches everything off and
  // gives all memory back. May be called again.
  void (*stop)();
  // What was defined so far counts as not defined.
  void (*forget)();

  // ---- Any thread
  // Around an outermost library call, while SourceRuntime::set_pushing is on:
  // launches in between carry `id`. False: not pushed.
  bool (*push)(uint64_t id);
  void (*pop)();
  // A stream capture or an explicit graph begins; maybe before a session.
  void (*capture_begins)();
  // The clock of its records, ns. 0: it was read.
  int32_t (*timestamp)(uint64_t* ns);
  // A function that reads that clock before start(); nullptr: the vendor's
  // library is not loaded.
  int32_t (*(*find_timestamp)(RealFinder real))(uint64_t* ns);
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ACTIVITY_SOURCE_H_
