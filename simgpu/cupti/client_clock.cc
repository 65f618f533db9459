// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/client_clock.h"

#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <limits>
#include <mutex>

#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

struct Reading {
  int64_t sim_ns;
  int64_t client;
  int64_t real_ns;
};

constexpr int kTries = 10;
constexpr int64_t kGoodGapNs = 1'000;
// Two readings closer than this do not tell the rate. A client that flushes
// sooner waits for the rest of it, once, in real time.
constexpr int64_t kMinBaselineNs = 1'000'000;

constinit std::atomic<CUpti_TimestampCallbackFunc> g_callback{nullptr};
constinit std::mutex g_mutex;
constinit Reading g_registered{};
constinit Reading g_first{};
constinit Reading g_last{};

int64_t RealNow() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

// The client's reading lies between two of ours; of several tries the one
// with the closest two counts, since a thread may be interrupted in between.
Reading Read(CUpti_TimestampCallbackFunc callback) {
  Reading best{};
  int64_t smallest_gap = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < kTries && smallest_gap > kGoodGapNs; ++i) {
    const int64_t before = SimNow();
    const auto client = static_cast<int64_t>(callback());
    const int64_t gap = SimNow() - before;
    if (gap >= smallest_gap) continue;
    smallest_gap = gap;
    best = {before + gap / 2, client, RealNow()};
  }
  return best;
}

}  // namespace

void SetTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  const std::lock_guard lock(g_mutex);
  if (callback != nullptr) g_registered = g_first = g_last = Read(callback);
  g_callback = callback;
}

void BeginClientTime() {
  const CUpti_TimestampCallbackFunc callback = g_callback;
  if (callback == nullptr || GetConfig().clock == ClockMode::kReal) return;
  const std::lock_guard lock(g_mutex);
  g_first = Read(callback);
}

void RefreshClientClock() {
  const CUpti_TimestampCallbackFunc callback = g_callback;
  if (callback == nullptr) return;
  const std::lock_guard lock(g_mutex);
  g_last = Read(callback);
  while (g_last.real_ns - g_registered.real_ns < kMinBaselineNs) {
    sched_yield();
    g_last = Read(callback);
  }
}

uint64_t ToClientTime(uint64_t sim_ns) {
  if (g_callback == nullptr) return sim_ns;
  const std::lock_guard lock(g_mutex);
  const int64_t baseline = g_last.sim_ns - g_first.sim_ns;
  const double rate =
      baseline <= 0 || (baseline < kMinBaselineNs &&
                        GetConfig().clock == ClockMode::kReal)
          ? 1.0
          : static_cast<double>(g_last.client - g_first.client) /
                static_cast<double>(baseline);
  const int64_t since = static_cast<int64_t>(sim_ns) - g_last.sim_ns;
  return static_cast<uint64_t>(
      g_last.client + static_cast<int64_t>(rate * static_cast<double>(since)));
}

namespace {

uint64_t ToClientLength(uint64_t sim_ns) {
  const std::lock_guard lock(g_mutex);
  const int64_t baseline = g_last.real_ns - g_registered.real_ns;
  if (baseline < kMinBaselineNs) return sim_ns;
  const double rate = static_cast<double>(g_last.client - g_registered.client) /
                      static_cast<double>(baseline);
  return static_cast<uint64_t>(rate * static_cast<double>(sim_ns));
}

// Once: what a profiler shows of such a run.
void SayWhatIsRight() {
  static std::atomic<bool> said{false};
  if (GetConfig().quiet || said.exchange(true)) return;
  std::fprintf(stderr,
               "dltap: simgpu: a profiler gives records times of its own "
               "clock, which is real: how long kernels take is right, what "
               "lies between them is not (DLTAP_SIM_CLOCK=real has both)\n");
}

}  // namespace

uint64_t (*LengthConversion())(uint64_t sim_ns) {
  if (g_callback == nullptr || GetConfig().clock == ClockMode::kReal) {
    return nullptr;
  }
  SayWhatIsRight();
  return ToClientLength;
}

uint64_t ClientNow() {
  const CUpti_TimestampCallbackFunc callback = g_callback;
  return callback == nullptr ? static_cast<uint64_t>(SimNow()) : callback();
}

}  // namespace dltap::simgpu
