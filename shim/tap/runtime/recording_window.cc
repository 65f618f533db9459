// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/recording_window.h"

#include <cerrno>

#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_state.h"

namespace dltap::shim {
namespace {

void WaitForParticipants() {
  if (SessionConfig().level != Level::kKernels) return;
  const int saved_errno = errno;
  FinishPass(Finish::kDrain);
  errno = saved_errno;
}

}  // namespace

void OpenWindow(trace::WindowCause cause) {
  g_process.window_is_open.store(1, std::memory_order_release);
  uint32_t paused = kPaused;
  if (!g_process.word.compare_exchange_strong(paused, LastSession())) return;
  const trace::WindowPayload payload = {1, static_cast<uint32_t>(cause), 0};
  AppendSpecial(trace::SpecialSlot::kWindow, &payload, sizeof(payload));
  WaitForParticipants();
}

void CloseWindow(trace::WindowCause cause) {
  g_process.window_is_open.store(0, std::memory_order_release);
  uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word < kFirstSession || !SessionConfig().start_paused) return;
  const trace::WindowPayload payload = {0, static_cast<uint32_t>(cause), 0};
  AppendSpecial(trace::SpecialSlot::kWindow, &payload, sizeof(payload));
  g_process.word.compare_exchange_strong(word, kPaused);
}

}  // namespace dltap::shim
