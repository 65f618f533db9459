// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

constinit std::atomic<ActivityTimestamp> g_activity{nullptr};

[[gnu::section("dltap_at_load")]] constinit ClockFinder g_find_reader = nullptr;
constinit std::atomic<ClockReader> g_reader{nullptr};

[[gnu::cold, gnu::noinline]] ClockReader FindReader() {
  ClockReader reader = g_find_reader != nullptr ? g_find_reader() : nullptr;
  if (reader == nullptr) reader = clock_gettime;
  g_reader.store(reader, std::memory_order_relaxed);
  return reader;
}

// 0: there is no such clock (any more).
uint64_t ReadNs(clockid_t clock) {
  ClockReader reader = g_reader.load(std::memory_order_relaxed);
  if (reader == nullptr) [[unlikely]]
    reader = FindReader();
  timespec now;
  if (reader(clock, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

uint64_t ActivityNs() {
  const ActivityTimestamp activity = g_activity.load(std::memory_order_relaxed);
  uint64_t now = 0;
  if (activity == nullptr || activity(&now) != 0) return 0;
  return now;
}

// Does the kernel itself keep time by the cycle counter? It measures more than
// CPUID tells (sockets out of step, bad firmware). Unreadable: believe CPUID.
bool KernelTrustsCycleCounter() {
  const int fd =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
           O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char name[32] = {};
  const ssize_t length = read(fd, name, sizeof(name) - 1);
  close(fd);
  if (length <= 0) return true;
  return strncmp(name, "tsc", 3) == 0 || strncmp(name, "kvm-clock", 9) == 0 ||
         strncmp(name, "hyperv_clocksource_tsc", 22) == 0;
}

// The cycle counter runs at one rate on all cores, also in sleep states.
bool CycleCounterIsInvariant() {
#if defined(__x86_64__)
  constexpr unsigned kInvariantTsc = 1u << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0) return false;
  return (d & kInvariantTsc) != 0 && KernelTrustsCycleCounter();
#else
  return true;
#endif
}

}  // namespace

void FindClockBy(ClockFinder find) { g_find_reader = find; }

uint64_t MonotonicNs() { return ReadNs(CLOCK_MONOTONIC); }

uint64_t RealtimeNs() { return ReadNs(CLOCK_REALTIME); }

uint64_t BootNs() { return ReadNs(CLOCK_BOOTTIME); }

// The encoding of the clock's number is part of the kernel's ABI.
uint64_t ThreadCpuNs(uint32_t tid) {
  constexpr uint32_t kPerThreadScheduled = 6;
  return ReadNs(static_cast<clockid_t>((~tid << 3) | kPerThreadScheduled));
}

uint64_t OwnCpuNs() { return ReadNs(CLOCK_THREAD_CPUTIME_ID); }

uint64_t ProcessCpuNs() { return ReadNs(CLOCK_PROCESS_CPUTIME_ID); }

[[gnu::cold]] uint64_t SlowTicks() {
  const auto kind =
      static_cast<ClockKind>(g_process.clock.load(std::memory_order_relaxed));
  if (kind == ClockKind::kActivity) return ActivityNs();
  return MonotonicNs();
}

ClockKind ChooseClock(ClockKind wanted, ActivityTimestamp activity) {
  g_activity.store(activity, std::memory_order_relaxed);
  ClockKind kind = wanted;
  if (kind == ClockKind::kActivity && activity == nullptr)
    kind = ClockKind::kTsc;
  g_process.clock.store(static_cast<uint32_t>(kind), std::memory_order_relaxed);
  return kind;
}

void CheckCycleCounter() {
  const auto kTsc = static_cast<uint32_t>(ClockKind::kTsc);
  if (g_process.clock.load(std::memory_order_relaxed) != kTsc) return;
  if (CycleCounterIsInvariant()) return;
  g_process.clock.store(static_cast<uint32_t>(ClockKind::kMonotonic),
                        std::memory_order_relaxed);
}

TwofoldTime TakeTwofoldTime() { return {CycleCounter(), SlowTicks()}; }

uint64_t TicksOf(const TwofoldTime& time) {
  const bool by_cycles = g_process.clock.load(std::memory_order_relaxed) == 0;
  return by_cycles ? time.cycles : time.other;
}

void UseActivityTimestamp(ActivityTimestamp activity) {
  g_activity.store(activity, std::memory_order_relaxed);
}

ClockReading ReadClocks() {
  ClockReading best = {};
  best.error_ns = ~uint64_t{0};
  for (int attempt = 0; attempt < 4; ++attempt) {
    ClockReading reading;
    const uint64_t before = MonotonicNs();
    reading.ticks = Ticks();
    reading.realtime_ns = RealtimeNs();
    reading.activity_ns = ActivityNs();
    const uint64_t after = MonotonicNs();
    reading.monotonic_ns = before + (after - before) / 2;
    reading.error_ns = after - before;
    if (reading.error_ns < best.error_ns) best = reading;
  }
  return best;
}

uint64_t TicksPerSecond(const ClockReading& first, const ClockReading& second) {
  const auto kind =
      static_cast<ClockKind>(g_process.clock.load(std::memory_order_relaxed));
  if (kind != ClockKind::kTsc) return kNsPerSecond;
  const uint64_t elapsed_ns = second.monotonic_ns - first.monotonic_ns;
  if (elapsed_ns == 0) return kNsPerSecond;
  const auto ticks = static_cast<unsigned __int128>(second.ticks - first.ticks);
  return static_cast<uint64_t>(ticks * kNsPerSecond / elapsed_ns);
}

}  // namespace dltap::shim
