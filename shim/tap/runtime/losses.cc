// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/losses.h"

#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
void CountLoss(trace::LossKind kind, uint64_t count) {
  g_process.losses[static_cast<uint32_t>(kind)].fetch_add(
      count, std::memory_order_relaxed);
}

uint64_t LossCount(trace::LossKind kind) {
  return g_process.losses[static_cast<uint32_t>(kind)].load(
      std::memory_order_relaxed);
}

void ResetLosses() {
  for (auto& loss : g_process.losses) loss.store(0, std::memory_order_relaxed);
}

}  // namespace dltap::shim
