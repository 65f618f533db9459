// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/window_range.h"

#include <unistd.h>

#include <cstring>

#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/recording_window.h"
#include "shim/tap/runtime/session.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/tagging/pointer_map.h"

namespace dltap::shim::nvtx {
namespace {

// Ranges of this thread from the one that opened the window on, in its domain;
// 0: this thread is in none.
constinit thread_local uint32_t t_depth = 0;
constinit thread_local const void* t_domain = nullptr;
// The process in which they are counted. A forked child has the thread's
// ranges, and counts none yet.
constinit thread_local uint32_t t_pid = 0;

// Of nvtxRangeStart: the ids of those that are open, and how many they are.
constinit PointerMap<0, 10> g_started;
constinit std::atomic<uint32_t> g_started_count{0};

// The map has no place for the keys 0 and 1.
uint64_t KeyOf(uint64_t range_id) { return range_id + 2; }

// One thread may leave while another one enters: whoever comes later sees that
// the window is as the ranges say.
void SetWindow() {
  for (bool is_open = g_process.open_ranges.load() != 0, is_wanted = !is_open;
       is_open != is_wanted;) {
    is_wanted = is_open;
    if (is_wanted) {
      OpenWindow(trace::WindowCause::kNvtx);
    } else {
      CloseWindow(trace::WindowCause::kNvtx);
    }
    is_open = g_process.open_ranges.load() != 0;
  }
}

void Enter(uint32_t ranges) {
  if (g_process.open_ranges.fetch_add(ranges) == 0) SetWindow();
}

void Leave() {
  if (g_process.open_ranges.fetch_sub(1) == 1) SetWindow();
}

}  // namespace

void EnterInheritedRanges() {
  uint32_t pid = g_process.ranges_pid.load(std::memory_order_relaxed);
  if (pid == 0) [[unlikely]] {
    const auto own = static_cast<uint32_t>(getpid());
    if (g_process.ranges_pid.compare_exchange_strong(pid, own)) {
      pid = own;
      const uint32_t started = g_started_count.load();
      if (started != 0) Enter(started);
    }
  }
  if (t_pid == pid) return;
  t_pid = pid;
  if (t_depth != 0) Enter(1);
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
    Enter(1);
  }
}

void WindowRangePopped(const void* domain) {
  EnterInheritedRanges();
  if (t_depth == 0 || domain != t_domain) return;
  if (--t_depth == 0) Leave();
}

void WindowRangeStarted(uint64_t range_id) {
  EnterInheritedRanges();
  if (!g_started.Insert(KeyOf(range_id), 1)) {
    CountLoss(trace::LossKind::kObjectTableFull);
    return;
  }
  g_started_count.fetch_add(1);
  Enter(1);
}

void WindowRangeEnded(uint64_t range_id) {
  EnterInheritedRanges();
  if (g_started.Erase(KeyOf(range_id)) == 0) return;
  g_started_count.fetch_sub(1);
  Leave();
}

}  // namespace dltap::shim::nvtx
