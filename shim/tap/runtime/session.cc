// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/activity_hooks.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/recording_window.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {

namespace {

constexpr uint64_t kExitDeadlineNs = 2'000'000'000;

constinit pid_t g_session_pid = 0;
constinit bool g_exit_is_registered = false;

void WarnOfVariable(const char* line) { Log(LogLevel::kWarning, "%s", line); }

void ChooseSessionClock(const Config& config) {
  ActivityTimestamp activity = nullptr;
  if (config.clock == ClockKind::kActivity) {
    activity = FindActivityTimestamp();
    if (activity == nullptr) {
      Log(LogLevel::kWarning,
          "the library that DLTAP_CLOCK names is not loaded; using the cycle "
          "counter");
    }
  }
  ChooseClock(config.clock, activity);
}

// Once per process: configuration, then clock.
void Prepare() {
  if (g_session_pid == getpid()) return;
  const bool secure = getauxval(AT_SECURE) != 0;
  SetSessionConfig(ParseConfig(environ, secure, WarnOfVariable));
  SetLogLevel(SessionConfig().log);
  ChooseSessionClock(SessionConfig());
  g_session_pid = getpid();
}

// The collector does not answer: it hangs, most likely in the vendor's
// profiler. Written where readers find it although no thread drains the rings.
void NoteDeadline() {
  CountLoss(trace::LossKind::kFlushDeadline);
  trace::LossRecord record = {};
  record.loss = static_cast<uint32_t>(trace::LossKind::kFlushDeadline);
  record.count = LossCount(trace::LossKind::kFlushDeadline);
  uint8_t bytes[sizeof(record) + 16];
  trace::RecordBuffer buffer(bytes, sizeof(bytes));
  buffer.Append(record);
  g_output.ring_file().AppendDefinition({buffer.data(), buffer.size()});
}

// A collector that did not answer once is not waited for again.
void FinishInTime(Finish what) {
  if (LossCount(trace::LossKind::kFlushDeadline) != 0) return;
  if (!FinishPass(what, kExitDeadlineNs)) NoteDeadline();
}

// Runs in the process that registered it and in its forked children, which
// have no collector unless they started their own session.
void OnExit(int, void*) {
  if (g_session_pid != getpid() || SessionHasEnded() ||
      g_process.collector_runs.load(std::memory_order_acquire) == 0) {
    return;
  }
  FinishInTime(Finish::kExit);
}

// After all exit handlers: the calls made in them are drained too.
[[gnu::destructor]] void EndSession() {
  if (g_session_pid != getpid()) return;
  const uint32_t word =
      g_process.word.exchange(kDisabled, std::memory_order_acq_rel);
  if (word == kIdle || SessionHasEnded() ||
      g_process.collector_runs.load(std::memory_order_acquire) == 0) {
    return;
  }
  FinishInTime(Finish::kEnd);
}

trace::FileHeader HeaderOf(const ProcessInfo& process,
                           const ClockReading& reading) {
  trace::FileHeader header = {};
  header.pid = process.pid;
  header.start_realtime_ns = static_cast<int64_t>(reading.realtime_ns);
  const auto clock = g_process.clock.load(std::memory_order_relaxed);
  header.clock = static_cast<uint8_t>(clock + 1);
  header.process_start_time = process.start_time;
  memcpy(header.boot_id, process.boot_id, sizeof(header.boot_id));
  return header;
}

// Files, rings, definitions, collector; in this order, so that whatever is
// recorded is already explained.
bool OpenSession() {
  const ClockReading first = ReadClocks();
  const ProcessInfo process = ReadProcessInfo();
  ResetLosses();
  ResetTotals();
  NewDefinitionEpoch();
  if (!g_output.Open(SessionConfig(), process, HeaderOf(process, first))) {
    return false;
  }
  if (!g_buffers.Reset(&g_output.ring_file())) return false;
  if (!g_buffers.PrepareFirst()) return false;
  WriteSessionDefinitions(process, SessionConfig(), first, ReadClocks());
  g_output.Flush();
  if (!g_exit_is_registered) {
    // After the vendor's own exit handlers were registered, so before them.
    on_exit(OnExit, nullptr);
    g_exit_is_registered = true;
  }
  return g_output.is_writable() && StartCollector();
}

// Open, write and the like are cancellation points: the host's thread must not
// end inside our work.
bool OpenUncancelled() {
  int cancel_state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  const bool is_open = OpenSession();
  pthread_setcancelstate(cancel_state, nullptr);
  return is_open;
}

}  // namespace

void PrepareClock() {
  const int saved_errno = errno;
  Prepare();
  errno = saved_errno;
}

bool StartSession() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word != kIdle) return word >= kFirstSession;
  const int saved_errno = errno;
  Prepare();
  bool is_recording = false;
  if (SessionConfig().disabled) {
    g_process.word.store(kDisabled, std::memory_order_release);
  } else if (g_process.starting.exchange(1, std::memory_order_acq_rel) == 0) {
    const bool is_open = OpenUncancelled();
    const uint32_t number = NextSession();
    is_recording =
        is_open &&
        (!SessionConfig().start_paused ||
         g_process.window_is_open.load(std::memory_order_acquire) != 0);
    const uint32_t next = is_recording ? number : is_open ? kPaused : kDisabled;
    g_process.word.store(next, std::memory_order_release);
    if (SessionHasEnded()) StopRecording();  // its first writes failed
    if (is_recording) WaitForParticipants();
  }
  errno = saved_errno;
  return is_recording;
}

}  // namespace dltap::shim
