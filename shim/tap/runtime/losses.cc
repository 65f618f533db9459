// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/losses.h"

namespace dltap::shim {
namespace {

constexpr uint32_t kLossKinds = 64;  // numbers below it are the writer's

constinit std::atomic<uint64_t> g_losses[kLossKinds];

}  // namespace

void CountLoss(trace::LossKind kind, uint64_t count) {
  g_losses[static_cast<uint32_t>(kind)].fetch_add(count,
                                                  std::memory_order_relaxed);
}

uint64_t LossCount(trace::LossKind kind) {
  return g_losses[static_cast<uint32_t>(kind)].load(std::memory_order_relaxed);
}

void ResetLosses() {
  for (auto& loss : g_losses) loss.store(0, std::memory_order_relaxed);
}

}  // namespace dltap::shim
