// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/window_range.h"

#include <unistd.h>

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
// The process in which they are counted. A forked child has the thread's
// ranges, and counts none yet.
constinit thread_local uint32_t t_pid = 0;

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

void EnterInheritedRanges() {
  uint32_t pid = g_process.ranges_pid.load(std::memory_order_relaxed);
  if (pid == 0) [[unlikely]] {
    const auto own = static_cast<uint32_t>(getpid());
    if (g_process.ranges_pid.compare_exchange_strong(pid, own)) {
      pid = own;
      if (g_started.load(std::memory_order_relaxed) != 0) Enter();
    }
  }
  if (t_pid == pid) return;
  t_pid = pid;
  if (t_depth != 0) Enter();
}

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
  EnterInheritedRanges();
  if (t_depth != 0) {
    t_depth += domain == t_domain ? 1 : 0;
  } else if (is_it) {
    t_depth = 1;
    t_domain = domain;
    Enter();
  }
}

void WindowRangePopped(const void* domain) {
  EnterInheritedRanges();
  if (t_depth == 0 || domain != t_domain) return;
  if (--t_depth == 0) Leave();
}

void WindowRangeStarted(uint64_t range_id) {
  EnterInheritedRanges();
  uint64_t none = 0;
  if (g_started.compare_exchange_strong(none, range_id)) Enter();
}

void WindowRangeEnded(uint64_t range_id) {
  EnterInheritedRanges();
  if (g_started.compare_exchange_strong(range_id, 0)) Leave();
}

}  // namespace dltap::shim::nvtx
