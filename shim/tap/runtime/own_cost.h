// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_OWN_COST_H_
#define DLTAP_SHIM_TAP_RUNTIME_OWN_COST_H_

#include <cstdint>

#include "shim/tap/runtime/config.h"

// What recording costs this process, measured in it, and what follows: where it
// takes more than DLTAP_STEP_DOWN percent of the process's CPU time, and of one
// CPU's, over a whole span (60 s), the level goes from `kernels` to `host` for
// good, and the trace says why. All functions but HasSteppedDown(): collector
// only.
namespace dltap::shim {

struct OwnCost {
  uint64_t calls;   // recorded
  uint64_t own_ns;  // the collector, recorded calls; not the vendor's profiler
  uint64_t process_ns;  // all threads of the process
};
OwnCost CostSoFar();

// The level in force.
Level LevelNow();
// Any thread.
bool HasSteppedDown();

// Takes part in the collector's work.
void WatchOwnCost();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_OWN_COST_H_
