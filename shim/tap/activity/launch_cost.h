// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_LAUNCH_COST_H_
#define DLTAP_SHIM_TAP_ACTIVITY_LAUNCH_COST_H_

#include <cstdint>

#include "shim/trace/layout.h"

// What the vendor's profiler costs a launching thread: our time stamps stand
// outside its own, so a launch takes longer by ours than by its record of the
// same call, by about what it does before and after. The mean of all launches,
// since records are not joined here; our own cost is in it, some 10 ns.
// Collector only.
namespace dltap::shim {

// Records on their way into the trace.
void NoteLaunchApis(trace::BlockKind kind, const uint8_t* records,
                    uint32_t bytes);

// Takes part in the collector's work.
void MeasureLaunchCost();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ACTIVITY_LAUNCH_COST_H_
