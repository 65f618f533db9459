// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/call_delay.h"

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using specs::LayerClass;

// ProcessPage::delay: ticks to wait above one more than the class; 0: none.
constexpr int kClassBits = 8;

constexpr int kClasses = specs::Words<LayerClass>::kCount;
static_assert(kClasses <= 32, "ProcessPage::seen_classes has a bit for each");
constexpr int kMaxTurns = kClasses * kMaxDelays;
constexpr uint64_t kSeed = 0x9E3779B97F4A7C15;  // any whose high half is not 0

// One window of a round.
struct Turn {
  uint32_t delay_us = 0;  // 0: activities are off instead
  LayerClass layer_class = LayerClass::kUnattributed;
};

// The collector's. Windows are counted on the monotonic clock, so that the
// processes of a job, which wait for each other, delay the same class at the
// same time. Every second window has no delay. In a round each class that was
// seen gets each length once, and activities are off once, in a random order.
struct Schedule {
  bool on = false;
  bool in_turn = false;
  uint64_t window = 0;  // number of the current one
  uint64_t random = kSeed;
  uint64_t ticks_per_second = 0;
  ClockReading first = {};
  uint64_t turn_ticks = 0;  // when the current turn began
  Turn current;
  uint32_t turns = 0;
  Turn turn[kMaxTurns + 1] = {};
};
constinit Schedule g_schedule;
constinit std::atomic<bool> g_activities_off{false};

// What calls did wait in the current window: longer than they were told where
// the thread lost its CPU meanwhile.
constinit std::atomic<uint64_t> g_waits{0};
constinit std::atomic<uint64_t> g_waited_ticks{0};

uint64_t Random() {
  uint64_t& word = g_schedule.random;  // xorshift64
  word ^= word << 13;
  word ^= word >> 7;
  word ^= word << 17;
  return word;
}

void ListTurns() {
  Schedule& schedule = g_schedule;
  schedule.turns = 0;
  const uint32_t seen = g_process.seen_classes.load(std::memory_order_relaxed);
  for (int i = 0; i < kClasses; ++i) {
    const bool is_class =
        static_cast<LayerClass>(i) != LayerClass::kUnattributed;
    if (!is_class || (seen >> i & 1) == 0) continue;
    for (const uint32_t delay_us : SessionConfig().delays_us) {
      if (delay_us == 0) break;
      schedule.turn[schedule.turns++] = {delay_us, static_cast<LayerClass>(i)};
    }
  }
  if (SessionConfig().level == Level::kKernels) {
    schedule.turn[schedule.turns++] = {0, LayerClass::kUnattributed};
  }
}

void Shuffle(uint64_t round) {
  Schedule& schedule = g_schedule;
  schedule.random = kSeed ^ round;
  for (int i = 0; i < 8; ++i) Random();  // near seeds begin alike
  for (uint32_t i = schedule.turns; i > 1; --i) {
    const uint64_t other = Random() % i;
    const Turn last = schedule.turn[i - 1];
    schedule.turn[i - 1] = schedule.turn[other];
    schedule.turn[other] = last;
  }
}

void WriteDelay(uint64_t ticks, const Turn* turn, uint64_t delay_ns = 0) {
  trace::DelayRecord record = {};
  record.ticks = ticks;
  record.layer_class = static_cast<uint8_t>(LayerClass::kUnattributed);
  if (turn != nullptr) {
    record.delay_ns = delay_ns;
    record.layer_class = static_cast<uint8_t>(turn->layer_class);
    record.source_off = turn->delay_us == 0 ? 1 : 0;
  }
  WriteRecord(trace::BlockKind::kSamples, record);
}

void BeginTurn(const Turn& turn) {
  g_schedule.current = turn;
  g_schedule.turn_ticks = Ticks();
  g_waits.store(0, std::memory_order_relaxed);
  g_waited_ticks.store(0, std::memory_order_relaxed);
  WriteDelay(g_schedule.turn_ticks, &turn, uint64_t{turn.delay_us} * 1000);
  g_activities_off.store(turn.delay_us == 0, std::memory_order_relaxed);
  const uint64_t ticks =
      static_cast<uint64_t>(static_cast<unsigned __int128>(turn.delay_us) *
                            g_schedule.ticks_per_second / 1'000'000);
  const uint64_t word =
      turn.delay_us == 0
          ? 0
          : ticks << kClassBits | (static_cast<uint64_t>(turn.layer_class) + 1);
  g_process.delay.store(word, std::memory_order_relaxed);
}

void EndTurn() {
  g_process.delay.store(0, std::memory_order_relaxed);
  g_activities_off.store(false, std::memory_order_relaxed);
  WriteDelay(Ticks(), nullptr);
}

// The window again, with the mean of what its calls did wait.
void CorrectTurn() {
  const uint64_t waits = g_waits.load(std::memory_order_relaxed);
  if (waits == 0) return;
  const auto ns = static_cast<uint64_t>(
      static_cast<unsigned __int128>(
          g_waited_ticks.load(std::memory_order_relaxed)) *
      1'000'000'000 / g_schedule.ticks_per_second / waits);
  WriteDelay(g_schedule.turn_ticks, &g_schedule.current, ns);
}

void Start() {
  g_schedule = Schedule{};
  g_activities_off.store(false, std::memory_order_relaxed);
  if (SessionConfig().delays_us[0] == 0) return;
  const auto clock =
      static_cast<ClockKind>(g_process.clock.load(std::memory_order_relaxed));
  if (clock == ClockKind::kActivity) {
    Log(LogLevel::kWarning,
        "no delays: they need real time, DLTAP_CLOCK=cupti may be simulated");
    return;
  }
  g_schedule.on = true;
  g_schedule.first = ReadClocks();
  g_process.library_work.fetch_or(kDelays, std::memory_order_release);
  EndTurn();  // the first window has no delay
}

void Pass() {
  Schedule& schedule = g_schedule;
  if (!schedule.on) return;
  const uint64_t window =
      MonotonicNs() / (uint64_t{SessionConfig().delay_window_ms} * 1'000'000);
  if (window == schedule.window) return;
  const bool is_first = schedule.window == 0;
  schedule.window = window;
  if (schedule.in_turn) {
    EndTurn();
    CorrectTurn();
  }
  schedule.in_turn = false;
  if (is_first || window % 2 == 0) return;
  ListTurns();
  if (schedule.turns == 0) return;  // no library call so far
  Shuffle(window / 2 / schedule.turns);
  if (schedule.ticks_per_second == 0) {
    schedule.ticks_per_second = TicksPerSecond(schedule.first, ReadClocks());
  }
  BeginTurn(schedule.turn[window / 2 % schedule.turns]);
  schedule.in_turn = true;
}

}  // namespace

bool WaitDelay(LayerClass layer_class) {
  const auto number = static_cast<uint32_t>(layer_class);
  const uint32_t bit = uint32_t{1} << number;
  if ((g_process.seen_classes.load(std::memory_order_relaxed) & bit) == 0) {
    g_process.seen_classes.fetch_or(bit, std::memory_order_relaxed);
  }
  const uint64_t word = g_process.delay.load(std::memory_order_relaxed);
  if ((word & ((1u << kClassBits) - 1)) != number + 1) return false;
  const uint64_t wait = word >> kClassBits;
  const uint64_t begin = Ticks();
  uint64_t waited = 0;
  while ((waited = Ticks() - begin) < wait) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  g_waits.fetch_add(1, std::memory_order_relaxed);
  g_waited_ticks.fetch_add(waited, std::memory_order_relaxed);
  return true;
}

bool WantsActivities() {
  return !g_activities_off.load(std::memory_order_relaxed);
}

void ScheduleDelays() { AddParticipant({Start, Pass, nullptr, nullptr}); }

}  // namespace dltap::shim
