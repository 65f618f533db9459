// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_CLOCK_H_
#define DLTAP_SHIM_TAP_RUNTIME_CLOCK_H_

#include <time.h>

#include <cstdint>

#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {

// One reading of every clock at (nearly) the same moment.
struct ClockReading {
  uint64_t ticks;
  uint64_t monotonic_ns;
  uint64_t realtime_ns;
  uint64_t activity_ns;  // 0: not available
  uint64_t error_ns;     // the readings lie within this span
};

// Reads the clock of activity records. 0: it was read.
using ActivityTimestamp = int32_t (*)(uint64_t* timestamp);

// Hot path.
[[gnu::noinline]] uint64_t SlowTicks();

inline uint64_t CycleCounter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "no cycle counter known for this processor"
#endif
}

// Time stamp of the call path, in units of the session's clock.
inline uint64_t Ticks() {
  if (g_process.clock.load(std::memory_order_relaxed) == 0) [[likely]] {
    return CycleCounter();
  }
  return SlowTicks();
}

// clock_gettime() of the C library itself, whoever has interposed it: a program
// may be shown another time than the kernel's (libfaketime), or one that stands
// still. Asked for once, by the first who reads a clock.
using ClockReader = int (*)(clockid_t clock, timespec* time);
using ClockFinder = ClockReader (*)();
void FindClockBy(ClockFinder find);

// Slow path.
uint64_t MonotonicNs();
uint64_t RealtimeNs();

// Also counts while the machine sleeps; the kernel dates threads by it.
uint64_t BootNs();

// CPU time of a thread of this process, by its tid. 0: it has ended.
uint64_t ThreadCpuNs(uint32_t tid);
// Of the calling thread, of the process.
uint64_t OwnCpuNs();
uint64_t ProcessCpuNs();

// Decides how Ticks() reads the time. `wanted` kActivity falls back to kTsc
// where there is no activity source. Returns the choice.
ClockKind ChooseClock(ClockKind wanted, ActivityTimestamp activity);

// Where the cycle counter does not run at one rate on all cores, also in sleep
// states, kTsc becomes kMonotonic. Reads a file. Before anything but a
// TwofoldTime has been taken.
void CheckCycleCounter();

// A time before CheckCycleCounter(): by the cycle counter, and by the clock
// that would replace it.
struct TwofoldTime {
  uint64_t cycles;
  uint64_t other;
};
TwofoldTime TakeTwofoldTime();
// In units of the session's clock, once that is settled.
uint64_t TicksOf(const TwofoldTime& time);

// The activity source became available after the clock was chosen.
void UseActivityTimestamp(ActivityTimestamp activity);

// Reads all clocks, a few times, and keeps the tightest reading.
ClockReading ReadClocks();

// Rate of Ticks(), from two readings: exact for all clocks but kTsc.
uint64_t TicksPerSecond(const ClockReading& first, const ClockReading& second);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_CLOCK_H_
