// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/activity_hooks.h"

#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
namespace {

[[gnu::section("dltap_at_load")]] constinit ActivityHooks g_hooks{};

}  // namespace

void SetActivityHooks(const ActivityHooks& hooks) { g_hooks = hooks; }

void SetPushing(bool on) {
  if (on) {
    g_process.library_work.fetch_or(kPushes, std::memory_order_release);
  } else {
    g_process.library_work.fetch_and(~uint32_t{kPushes},
                                     std::memory_order_release);
  }
}

bool PushCorrelation(uint64_t id) {
  return g_hooks.push != nullptr && g_hooks.push(id);
}

void PopCorrelation() {
  if (g_hooks.pop != nullptr) g_hooks.pop();
}

void NoteCapture() {
  if (g_hooks.capture_begins != nullptr) g_hooks.capture_begins();
}

ActivityTimestamp FindActivityTimestamp() {
  return g_hooks.find_timestamp != nullptr ? g_hooks.find_timestamp() : nullptr;
}

}  // namespace dltap::shim
