// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/own_cost.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

constinit std::atomic<bool> g_has_stepped_down{false};

// What was read when the current span began.
struct Span {
  uint64_t begin_ns;  // monotonic
  OwnCost cost;
};
constinit Span g_span = {};

void StepDown(uint64_t own_ns, uint64_t of_ns) {
  g_has_stepped_down.store(true, std::memory_order_release);
  const uint64_t permille = own_ns * 1000 / of_ns;
  char reason[200];
  snprintf(reason, sizeof(reason),
           "recording took %llu.%llu%% of the CPU time in %u s (at least one "
           "CPU's), more than the %u%% of DLTAP_STEP_DOWN",
           static_cast<unsigned long long>(permille / 10),
           static_cast<unsigned long long>(permille % 10),
           SessionConfig().step_down_s, SessionConfig().step_down_percent);
  trace::LevelRecord record = {};
  record.ticks = Ticks();
  record.level = static_cast<uint8_t>(trace::Level::kHost);
  record.wanted = static_cast<uint8_t>(trace::Level::kKernels);
  WriteRecord(trace::BlockKind::kSamples, record,
              trace::Piece::String(reason, strlen(reason)));
  Log(LogLevel::kWarning, "no kernel records from here on: %s", reason);
}

void Start() {
  g_has_stepped_down.store(false, std::memory_order_relaxed);
  g_span = {MonotonicNs(), CostSoFar()};
}

void Pass() {
  const Config& config = SessionConfig();
  if (config.step_down_percent == 0 || LevelNow() != Level::kKernels) return;
  const uint64_t now_ns = MonotonicNs();
  if (now_ns - g_span.begin_ns < config.step_down_s * kNsPerSecond) return;
  const OwnCost cost = CostSoFar();
  const uint64_t own_ns = cost.own_ns - g_span.cost.own_ns;
  // A program that waits has next to no CPU time of its own.
  const uint64_t process_ns = cost.process_ns - g_span.cost.process_ns;
  const uint64_t span_ns = now_ns - g_span.begin_ns;
  const uint64_t of_ns = process_ns > span_ns ? process_ns : span_ns;
  g_span = {now_ns, cost};
  if (own_ns * 100 > of_ns * config.step_down_percent) StepDown(own_ns, of_ns);
}

}  // namespace

OwnCost CostSoFar() {
  return {CallsWritten(), OwnCpuNs() + CallCostNs(), ProcessCpuNs()};
}

Level LevelNow() {
  return HasSteppedDown() ? Level::kHost : SessionConfig().level;
}

bool HasSteppedDown() {
  return g_has_stepped_down.load(std::memory_order_acquire);
}

void WatchOwnCost() { AddParticipant({.start = Start, .pass = Pass}); }

}  // namespace dltap::shim
