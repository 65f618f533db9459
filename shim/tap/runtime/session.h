// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_H_

#include <cstdint>

#include "shim/tap/runtime/config.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/trace/layout.h"

// The life of a session, as wrappers see it: idle until the first work of the
// process, then one session until the process ends or tracing must stop. All of
// this is cold; all of it keeps errno.
namespace dltap::shim {

// Decides how time is read, before the first work is timed. Cheap when
// repeated. Reads the environment; creates nothing.
[[gnu::cold]] void PrepareClock();

// Starts the process's session: files, rings, collector thread. True when a
// session records now (also one that another thread has started). Once failed
// or disabled, the process stays off.
[[gnu::cold, gnu::noinline]] bool StartSession();

// Gives the thread a ring of the running session. False: none to be had now.
[[gnu::cold, gnu::noinline]] bool AttachThread(ThreadState& thread);

// A call of that function was not recorded one by one: before the session,
// dropped, or in a thread without a ring.
[[gnu::cold, gnu::noinline]] void CountCall(int counter_index);

// The same for functions that are only counted; gives the thread its ring once
// a session runs.
[[gnu::cold, gnu::noinline]] void CountUnattached(int counter_index);

// Recording windows, under DLTAP_START=off; else nothing happens. Outside of
// them state is followed, calls are not recorded. A window may be opened before
// the session starts.
void OpenWindow(trace::WindowCause cause);
void CloseWindow(trace::WindowCause cause);

// Stops for good: after a write error, at the size limit. Never blocks.
void StopRecording();

// External correlation ids around outermost library calls; set by the CUPTI
// part while it wants them.
struct CorrelationHooks {
  bool (*push)(uint64_t id);  // false: not pushed
  void (*pop)();
};
void SetCorrelationHooks(CorrelationHooks hooks);
void SetPushing(bool on);
bool PushCorrelation(uint64_t id);
void PopCorrelation();

// The configuration of this process, once PrepareClock() or StartSession() has
// run.
const Config& SessionConfig();

// Number of the running or paused session, 0 without one.
uint32_t SessionNumber();

// Appends one special slot to the calling thread's ring. False when nothing is
// recorded now or there is no room.
bool AppendSpecial(trace::SpecialSlot kind, const void* payload,
                   uint32_t payload_bytes);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
