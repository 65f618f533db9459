// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_record.h"

#include "shim/tap/runtime/losses.h"

namespace dltap::shim {

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
