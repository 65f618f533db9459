// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_CLOCK_H_
#define DLTAP_SIMGPU_BASE_CLOCK_H_

#include <cstdint>

namespace dltap::simgpu {

// The one clock of the simulation: nanoseconds since the Unix epoch in real and
// skip mode (monotonic: CLOCK_REALTIME read once, then CLOCK_MONOTONIC), since
// a fixed instant in virtual mode. CUPTI timestamps are values of this clock.
int64_t SimNow();

// What SimNow() was when this process first asked; in virtual mode the fixed
// instant.
int64_t ClockStart();

// Returns when SimNow() >= until_ns: sleeps (real) or moves the clock.
void WaitUntil(int64_t until_ns);

// Time is a counter: it moves by what calls cost and by waiting alone.
bool IsVirtualTime();

// A host call's fixed cost; moves the clock in virtual mode, else does nothing.
void SpendHostTime(int64_t cost_ns);

// SimNow() minus CLOCK_MONOTONIC now: what a client adds to its own readings.
// Changes while the clock is skipped; constant in real mode.
int64_t ClockOffset();

// SimNow(), by a name that a tracing tool finds with dlsym. cuptiGetTimestamp
// follows the callback of any CUPTI client that registers one; this never does.
// Returns 0, like a CUPTI function that succeeded.
extern "C" int dltapSimGetTimestamp(uint64_t* timestamp_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_CLOCK_H_
