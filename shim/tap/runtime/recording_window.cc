// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/recording_window.h"

#include <cerrno>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

// The collector has no ring.
void WriteWindow(uint32_t recording, trace::WindowCause cause) {
  const auto number = static_cast<uint32_t>(cause);
  if (t_thread.session != kOwnThread) {
    const trace::WindowPayload payload = {recording, number, 0};
    AppendSpecial(trace::SpecialSlot::kWindow, &payload, sizeof(payload));
    return;
  }
  trace::WindowRecord record = {};
  record.ticks = Ticks();
  record.recording = recording;
  record.cause = number;
  WriteRecord(trace::BlockKind::kSamples, record);
}

// The window by time of this session. Collector only.
struct TimedWindow {
  uint64_t open_ns;   // monotonic; 0: not to be opened
  uint64_t close_ns;  // 0: never
};
constinit TimedWindow g_timed = {0, 0};

void StartTime() {
  const Config& config = SessionConfig();
  const uint64_t now_ns = MonotonicNs();
  const uint64_t open_ns = now_ns + config.delay_s * kNsPerSecond;
  g_timed.open_ns = config.delay_s != 0 ? open_ns : 0;
  g_timed.close_ns =
      config.duration_s != 0 ? open_ns + config.duration_s * kNsPerSecond : 0;
}

void LookAtTime() {
  const uint64_t now_ns = MonotonicNs();
  if (g_timed.open_ns != 0 && now_ns >= g_timed.open_ns) {
    g_timed.open_ns = 0;
    OpenWindow(trace::WindowCause::kTime);
  }
  if (g_timed.close_ns != 0 && now_ns >= g_timed.close_ns) {
    g_timed.close_ns = 0;
    CloseWindow(trace::WindowCause::kTime);
  }
}

// Kernels launched before the activity source is on would be lost, so who opens
// a window waits for one pass of the collector.
void WaitForParticipants() {
  if (SessionConfig().level != Level::kKernels ||
      t_thread.session == kOwnThread) {
    return;
  }
  const int saved_errno = errno;
  FinishPass(Finish::kDrain);
  errno = saved_errno;
}

}  // namespace

void OpenWindow(trace::WindowCause cause) {
  g_process.window_is_open.store(1, std::memory_order_release);
  uint32_t paused = kPaused;
  if (!g_process.word.compare_exchange_strong(paused, LastSession())) return;
  WriteWindow(1, cause);
  WaitForParticipants();
}

void CloseWindow(trace::WindowCause cause) {
  if (cause == trace::WindowCause::kProfilerApi &&
      !SessionConfig().start_paused) {
    return;
  }
  g_process.window_is_open.store(0, std::memory_order_release);
  uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word < kFirstSession) return;
  WriteWindow(0, cause);
  g_process.word.compare_exchange_strong(word, kPaused);
}

void WatchTime() { AddParticipant({.start = StartTime, .pass = LookAtTime}); }

}  // namespace dltap::shim
