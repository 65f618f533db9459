// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/clock.h"

#include <sched.h>
#include <time.h>

#include <atomic>

#include "simgpu/base/atomic_max.h"
#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

// Where virtual time starts: any fixed instant makes two runs equal. This one
// is 2024-01-01T00:00:00Z.
constexpr int64_t kVirtualEpochNs = 1'704'067'200 * kNsPerSecond;

// A timer wakes up to ~60 us late; the rest of a wait is polled, as the CUDA
// runtime does by default.
constexpr int64_t kPolledTailNs = 80'000;

int64_t ReadClock(clockid_t id) {
  timespec time;
  clock_gettime(id, &time);
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

struct ClockState {
  const ClockMode mode = GetConfig().clock;
  const int64_t epoch_offset_ns =
      ReadClock(CLOCK_REALTIME) - ReadClock(CLOCK_MONOTONIC);
  const int64_t start_ns =
      mode == ClockMode::kVirtual ? kVirtualEpochNs : ReadClock(CLOCK_REALTIME);
  std::atomic<int64_t> skipped_ns{0};
  std::atomic<int64_t> virtual_ns{kVirtualEpochNs};
};

ClockState& State() {
  static ClockState* const state = new ClockState;
  return *state;
}

void SleepUntil(int64_t until_ns) {
  for (int64_t now = SimNow(); now < until_ns; now = SimNow()) {
    const int64_t rest = until_ns - now - kPolledTailNs;
    if (rest <= 0) {
      sched_yield();
      continue;
    }
    const timespec pause{static_cast<time_t>(rest / kNsPerSecond),
                         static_cast<long>(rest % kNsPerSecond)};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

int64_t SimNow() {
  ClockState& state = State();
  if (state.mode == ClockMode::kVirtual) {
    return state.virtual_ns.load(std::memory_order_relaxed);
  }
  return ReadClock(CLOCK_MONOTONIC) + state.epoch_offset_ns +
         state.skipped_ns.load(std::memory_order_relaxed);
}

int64_t ClockStart() { return State().start_ns; }

void WaitUntil(int64_t until_ns) {
  ClockState& state = State();
  switch (state.mode) {
    case ClockMode::kReal: SleepUntil(until_ns); return;
    case ClockMode::kSkip: {
      // Reading the sum once lets two threads that skip at the same time move
      // the clock to the later of their goals, not by the sum of their waits.
      const int64_t base = ReadClock(CLOCK_MONOTONIC) + state.epoch_offset_ns;
      RaiseTo(state.skipped_ns, until_ns - base);
      return;
    }
    case ClockMode::kVirtual: RaiseTo(state.virtual_ns, until_ns); return;
  }
}

bool IsVirtualTime() { return State().mode == ClockMode::kVirtual; }

void SpendHostTime(int64_t cost_ns) {
  ClockState& state = State();
  if (state.mode != ClockMode::kVirtual) return;
  state.virtual_ns.fetch_add(cost_ns, std::memory_order_relaxed);
}

int64_t ClockOffset() { return SimNow() - ReadClock(CLOCK_MONOTONIC); }

extern "C" int dltapSimGetTimestamp(uint64_t* timestamp_ns) {
  *timestamp_ns = static_cast<uint64_t>(SimNow());
  return 0;
}

}  // namespace dltap::simgpu
