// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/window_range.h"

#include <cstring>

#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/recording_window.h"
#include "shim/tap/runtime/session.h"
#include "shim/tap/runtime/session_state.h"

namespace dltap::shim::nvtx {
namespace {

// Ranges of this thread from the one that opened the window on, in its domain;
// 0: this thread is in none.
constinit thread_local uint32_t t_depth = 0;
constinit thread_local const void* t_domain = nullptr;

// Of nvtxRangeStart; one at a time.
constinit std::atomic<uint64_t> g_started{0};

void Enter() {
  if (g_process.open_ranges.fetch_add(1) == 0) {
    OpenWindow(trace::WindowCause::kNvtx);
  }
}

void Leave() {
  if (g_process.open_ranges.fetch_sub(1) == 1) {
    CloseWindow(trace::WindowCause::kNvtx);
  }
}

}  // namespace

bool HasWindowRange() {
  // The first range may come before the first work.
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  if (word == kIdle && !PrepareSession()) return false;
  return SessionConfig().range[0] != '\0';
}

bool IsWindowRange(const char* text, uint32_t length) {
  const char* wanted = SessionConfig().range;
  return strlen(wanted) == length && memcmp(wanted, text, length) == 0;
}

void WindowRangePushed(const void* domain, bool is_it) {
  if (t_depth != 0) {
    t_depth += domain == t_domain ? 1 : 0;
  } else if (is_it) {
    t_depth = 1;
    t_domain = domain;
    Enter();
  }
}

void WindowRangePopped(const void* domain) {
  if (t_depth == 0 || domain != t_domain) return;
  if (--t_depth == 0) Leave();
}

void WindowRangeStarted(uint64_t range_id) {
  uint64_t none = 0;
  if (g_started.compare_exchange_strong(none, range_id)) Enter();
}

void WindowRangeEnded(uint64_t range_id) {
  if (g_started.compare_exchange_strong(range_id, 0)) Leave();
}

}  // namespace dltap::shim::nvtx
