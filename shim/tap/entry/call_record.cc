// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_record.h"

#include "shim/tap/entry/launch_sites.h"
#include "shim/tap/runtime/call_delay.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/thread_buffers.h"

namespace dltap::shim {

namespace {

// Captures that were ended by a thread that had begun none.
constinit std::atomic<uint32_t> g_ends_elsewhere{0};

void LookAtCaptures(ThreadState& thread) {
  const uint32_t ends = g_ends_elsewhere.load(std::memory_order_relaxed);
  if (thread.captures == 0 || thread.ends_elsewhere == ends) return;
  thread.captures = 0;
  thread.record_flags &= kTakesSites;
}

}  // namespace

void CaptureBegan() {
  ThreadState& thread = t_thread;
  if (thread.captures == 0) {
    thread.ends_elsewhere = g_ends_elsewhere.load(std::memory_order_relaxed);
  }
  if (thread.captures < 0xFF) ++thread.captures;
  thread.record_flags |= trace::kCallCapturing;
}

// After a failure it is not known whether a capture has ended: an invalidated
// one has.
void CaptureEnded(bool failed) {
  ThreadState& thread = t_thread;
  if (thread.captures == 0) {
    if (!failed) g_ends_elsewhere.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  thread.captures = failed ? 0 : thread.captures - 1;
  if (thread.captures == 0) thread.record_flags &= kTakesSites;
}

[[gnu::cold]] uint64_t LookCloser(ThreadState& thread, bool is_work,
                                  uint64_t begin_ticks) {
  LookAtCaptures(thread);
  if (!is_work || (thread.record_flags & kTakesSites) == 0) return begin_ticks;
  return NoteSite(thread);
}

[[gnu::cold]] void DelayCall(ThreadState& thread, specs::LayerClass layer_class,
                             OpenCall& call) {
  // What is captured is not run now.
  const bool capturing = (thread.record_flags & trace::kCallCapturing) != 0;
  if (capturing || !WaitDelay(layer_class)) return;
  call.flags |= trace::kCallDelayed;
  call.begin_ticks = Ticks();
  thread.outermost_ticks = call.begin_ticks;
}

[[gnu::cold]] void AddCost(ThreadState& thread, uint64_t entered_ticks,
                           const FinishedCall& call) {
  if ((call.flags & trace::kCallDelayed) != 0) return;
  const uint64_t cost_ticks =
      (call.begin_ticks - entered_ticks) + (Ticks() - call.end_ticks);
  thread.buffer->cost.Add(cost_ticks);
}

[[gnu::cold]] int WriteLongDuration(trace::CallSlot* slot, int slots,
                                    uint64_t duration) {
  if (static_cast<int64_t>(duration) < 0) {
    CountLoss(trace::LossKind::kNegativeDuration);
    slot->duration_ticks = 0;
    return slots;
  }
  slot->duration_ticks = trace::kDurationEscape;
  slot->slots = static_cast<uint8_t>(slots + 1);
  memset(static_cast<void*>(slot + slots), 0, sizeof(*slot));
  memcpy(static_cast<void*>(slot + slots), &duration, sizeof(duration));
  return slots + 1;
}

}  // namespace dltap::shim
