// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/fork_guard.h"

#include <pthread.h>

#include <array>
#include <atomic>

namespace dltap::simgpu {
namespace {

constexpr int kMaxHandlers = 8;
constinit std::array<std::atomic<void (*)()>, kMaxHandlers> g_handlers{};
constinit std::atomic<int> g_handler_count{0};
constinit std::atomic<bool> g_initialized{false};
constinit std::atomic<bool> g_orphan{false};

void InChild() {
  if (g_initialized.load()) g_orphan.store(true);
  const int count = g_handler_count.load();
  for (int i = 0; i < count && i < kMaxHandlers; ++i) {
    if (auto* handler = g_handlers[i].load()) handler();
  }
}

}  // namespace

void AddForkChildHandler(void (*handler)()) {
  static const int registered = pthread_atfork(nullptr, nullptr, InChild);
  (void)registered;
  const int index = g_handler_count.fetch_add(1);
  if (index < kMaxHandlers) g_handlers[index].store(handler);
}

void MarkInitialized() { g_initialized.store(true, std::memory_order_relaxed); }

bool IsOrphan() { return g_orphan.load(std::memory_order_relaxed); }

}  // namespace dltap::simgpu
