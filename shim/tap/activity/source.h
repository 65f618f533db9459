// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_CUPTI_HOST_H_
#define DLTAP_SHIM_TAP_CUPTI_HOST_H_

#include <cstdint>

#include "shim/trace/layout.h"
#include "shim/trace/losses.h"
#include "shim/trace/records.h"

namespace dltap::shim::cupti {

// What the CUPTI part needs of the runtime, as function pointers that the
// runtime fills before the session starts, so that tests put a fake there. All
// must be set. "Collector" functions are called on the collector thread only.
struct Host {
  // ---- Any thread
  uint32_t (*session)();  // number of the running session, 0 without one
  bool (*recording)();    // false: the session is paused, nothing is wanted
  // The vendor's function, never a wrapper; nullptr when no loaded library
  // has it.
  void* (*real)(const char* symbol);
  // The outermost wrapped call in progress on this thread; false: none.
  bool (*current_call)(uint32_t* thread_index, uint64_t* begin_ticks);
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
  // Index of a recorded thread, by tid or by the low half of pthread_self();
  // trace::kNoIndex: not one we know.
  uint32_t (*thread_index)(uint32_t id);
  // From here on. `why` is empty when the level is the one asked for.
  void (*level)(trace::Level level, const char* why);
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_CUPTI_HOST_H_
