// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_
#define DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_

#include "shim/tap/runtime/thread_buffers.h"

// Follows the context switches of threads that submit work, where the kernel
// tells them (switch_ring.h): when each sleeps and when it would run on and may
// not. Not with the simulation's clock, and not with DLTAP_SWITCHES=0. Costs
// the program's threads the kernel's note of a switch (0.5 to 2 us); one that
// switches more than 5,000 times a second is let go for 3 s, since it would
// lose more than 1 %. Collector only.
namespace dltap::shim {

// After a look at the thread: begins with the second one, since many threads
// don't live to see it; then writes the switches since the last time.
void FollowSwitches(ThreadBuffer& buffer);

// Of a thread that is not looked at now: writes them if they crowd.
void SaveSwitches(ThreadBuffer& buffer);

// Writes the last ones of a thread that has ended, and lets go.
void EndSwitches(ThreadBuffer& buffer);

// No thread more from now on: the process ends, and the kernel may take long to
// begin.
void FollowNoMore();

// When a session begins: those of a parent process are not ours.
void ForgetSwitches();

// Of all threads, when nothing is recorded any more.
void EndAllSwitches();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SWITCH_WATCH_H_
