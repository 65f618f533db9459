// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_
#define DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_

#include "shim/tap/runtime/thread_buffers.h"

// Follows the context switches of threads that submit work, where the kernel
// tells them (perf_event_open(2), PERF_RECORD_SWITCH, Linux 4.17): when each
// sleeps and when it would run on and may not. Takes no descriptor for longer
// than it takes to map a ring of 36 KiB, which children don't inherit. Costs
// the program's threads the kernel's note of a switch (0.5 to 2 us); one that
// switches more than 5,000 times a second is let go for 3 s, since it would
// lose more than 1 %.
//
// Not under a seccomp filter, which may end a process for a call that it does
// not know, not where the rings would take more than an eighth of the memory
// that the user may lock, not in a time namespace, not with the simulation's
// clock, and not with DLTAP_SWITCHES=0.
// Collector only.
namespace dltap::shim {

// After a look at the thread: begins with the second one, since many threads
// don't live to see it; then writes the switches since the last time.
void FollowSwitches(ThreadBuffer& buffer);

// Of a thread that is not looked at now: writes them if they crowd.
void SaveSwitches(ThreadBuffer& buffer);

// Writes the last ones of a thread that has ended, and lets go.
void EndSwitches(ThreadBuffer& buffer);

// When a session begins: those of a parent process are not ours.
void ForgetSwitches();

// Of all threads, when nothing is recorded any more.
void EndAllSwitches();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_
