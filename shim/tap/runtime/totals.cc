// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/totals.h"

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

using trace::BlockKind;

constexpr uint32_t kFirstReaderLoss = 64;

// The collector's own: no synchronization.
constinit uint64_t g_ended[specs::kCounterCount];
constinit uint64_t g_calls_of[specs::kCounterCount];
constinit uint64_t g_written[specs::kCounterCount];
constinit uint64_t g_written_losses[kFirstReaderLoss];
constinit uint32_t g_segment = 0;  // that holds what is noted as written
constinit uint64_t g_calls = 0;
constinit uint64_t g_per_call_ps = 0;
constinit TimedCalls g_timed;          // of ended threads
constinit uint64_t g_first_ticks = 0;  // read together, at the begin
constinit uint64_t g_first_ns = 0;
constinit uint32_t g_turns_without_counts = 0;

// All counters of a thread after each other, as they lie: there are thousands
// of either.
void AddUpCalls() {
  for (int counter = 0; counter < specs::kCounterCount; ++counter) {
    g_calls_of[counter] = g_ended[counter] + g_process.unattached[counter].load(
                                                 std::memory_order_relaxed);
  }
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (!buffer.is_owned()) continue;
    for (int counter = 0; counter < specs::kCounterCount; ++counter) {
      g_calls_of[counter] += std::atomic_ref(buffer.counters[counter])
                                 .load(std::memory_order_relaxed);
    }
  }
}

void ForgetWritten() {
  for (auto& calls : g_written) calls = 0;
  for (auto& count : g_written_losses) count = 0;
}

void WriteCounts() {
  AddUpCalls();
  for (int counter = 0; counter < specs::kCounterCount; ++counter) {
    const uint64_t calls = g_calls_of[counter];
    if (calls == g_written[counter]) continue;
    g_written[counter] = calls;
    trace::CallCountRecord record = {};
    record.entry_point = trace::kFirstEntryPointId +
                         static_cast<uint32_t>(specs::OfCounter(counter));
    record.calls = calls;
    WriteRecord(BlockKind::kSamples, record);
  }
}

void WriteLosses(bool all) {
#define X(id, number, key, meaning) static_cast<uint32_t>(number),
  constexpr uint32_t kNumbers[] = {DLTAP_LOSSES(X)};
#undef X
  for (const uint32_t number : kNumbers) {
    if (number >= kFirstReaderLoss) continue;
    const uint64_t count = LossCount(static_cast<trace::LossKind>(number));
    if (!all && count == g_written_losses[number]) continue;
    g_written_losses[number] = count;
    trace::LossRecord record = {};
    record.loss = number;
    record.count = count;
    WriteRecord(BlockKind::kSamples, record);
  }
}

// The mean of the calls that were timed, once there are enough of them.
void UpdateCallCost() {
  constexpr uint64_t kEnough = 16;
  TimedCalls all = g_timed;
  for (uint32_t i = 0; i < g_buffers.count(); ++i) {
    ThreadBuffer& buffer = g_buffers.at(i);
    if (!buffer.is_owned()) continue;
    all.ticks +=
        std::atomic_ref(buffer.cost.ticks).load(std::memory_order_relaxed);
    all.calls +=
        std::atomic_ref(buffer.cost.calls).load(std::memory_order_relaxed);
  }
  const uint64_t ticks = Ticks() - g_first_ticks;
  const uint64_t ns = MonotonicNs() - g_first_ns;
  if (g_first_ns == 0 || all.calls < kEnough || ticks == 0) return;
  const auto ps_a_tick = static_cast<double>(ns) * 1e3 / ticks;
  g_per_call_ps = static_cast<uint64_t>(ps_a_tick * all.ticks / all.calls);
}

void WriteOverhead() {
  trace::OverheadRecord record = {};
  record.per_call_ps = g_per_call_ps;
  record.calls = g_calls;
  record.collector_cpu_ns = OwnCpuNs();
  WriteRecord(BlockKind::kSamples, record);
}

}  // namespace

void ResetTotals() {
  for (auto& calls : g_ended) calls = 0;
  ForgetWritten();
  g_calls = 0;
  g_timed = {};
}

void AddEndedThread(const ThreadBuffer& buffer) {
  for (int i = 0; i < specs::kCounterCount; ++i) {
    g_ended[i] += buffer.counters[i];
  }
  g_timed.ticks += buffer.cost.ticks;
  g_timed.calls += buffer.cost.calls;
}

void CountWritten(uint64_t calls) { g_calls += calls; }

uint64_t CallsWritten() { return g_calls; }

uint64_t CallCostNs() { return g_calls * g_per_call_ps / 1000; }

// Adding up the counters of thousands of threads takes long enough to do it
// less often.
void WriteTotals(bool final) {
  if (g_segment != g_output.segment()) {
    g_segment = g_output.segment();
    ForgetWritten();
  }
  constexpr uint32_t kBuffersATurn = 200;
  if (final || ++g_turns_without_counts > g_buffers.count() / kBuffersATurn) {
    g_turns_without_counts = 0;
    WriteCounts();
    UpdateCallCost();
  }
  WriteLosses(final);
  WriteOverhead();
}

// What a wrapper adds to a call at least: two time stamps and a record of two
// slots.
void MeasureCallCost() {
  g_first_ticks = Ticks();
  g_first_ns = MonotonicNs();
  constexpr int kCalls = 512;
  constexpr int kRounds = 8;
  uint64_t best_ns = ~uint64_t{0};
  alignas(64) trace::CallSlot slots[16];
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t begin = MonotonicNs();
    for (int i = 0; i < kCalls; ++i) {
      trace::CallSlot& slot = slots[(2 * i) & 15];
      slot.begin_ticks = Ticks();
      slot.duration_ticks = static_cast<uint32_t>(Ticks() - slot.begin_ticks);
      slot.entry_point = static_cast<uint16_t>(i);
      for (uint8_t& byte : slots[(2 * i + 1) & 15].payload) {
        byte = static_cast<uint8_t>(i);
      }
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    const uint64_t elapsed_ns = MonotonicNs() - begin;
    if (elapsed_ns < best_ns) best_ns = elapsed_ns;
  }
  g_per_call_ps = best_ns * 1000 / kCalls;
}

}  // namespace dltap::shim
