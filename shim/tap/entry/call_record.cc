// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_record.h"

#include "shim/tap/runtime/call_delay.h"
#include "shim/tap/runtime/losses.h"

namespace dltap::shim {

void DelayCall(ThreadState& thread, specs::LayerClass layer_class,
               OpenCall& call) {
  // What is captured is not run now.
  const bool capturing = (thread.record_flags & trace::kCallCapturing) != 0;
  if (capturing || !WaitDelay(layer_class)) return;
  call.flags |= trace::kCallDelayed;
  call.begin_ticks = Ticks();
  thread.outermost_ticks = call.begin_ticks;
}

int WriteLongDuration(trace::CallSlot* slot, int slots, uint64_t duration) {
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
