// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/real_symbol.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {

constinit ProcessPage g_process;

namespace {

constexpr uint64_t kExitDeadlineNs = 2'000'000'000;
constexpr uint64_t kStartPatienceNs = 2'000'000'000;

// A child inherits these with the number of its parent's session, so that the
// next number differs from what its thread state holds.
constinit uint32_t g_last_session = kFirstSession - 1;
constinit Config g_config;
constinit pid_t g_session_pid = 0;
constinit bool g_exit_is_registered = false;
constinit std::atomic<bool (*)(uint64_t)> g_push{nullptr};
constinit std::atomic<void (*)()> g_pop{nullptr};

void WarnOfVariable(const char* line) { Log(LogLevel::kWarning, "%s", line); }

void WipePage() {
  memset(static_cast<void*>(&g_process), 0, sizeof(g_process));
}

// Before anything but zero is stored in the page.
[[gnu::constructor]] void ProtectFromFork() {
  if (madvise(&g_process, sizeof(g_process), MADV_WIPEONFORK) != 0) {
    pthread_atfork(nullptr, nullptr, WipePage);  // Linux before 4.14
  }
}

// The simulated GPU has a function of its own: cuptiGetTimestamp changes when a
// profiler in the program registers a timestamp callback.
CuptiTimestamp FindCuptiTimestamp() {
  for (const char* name : {"dltapSimGetTimestamp", "cuptiGetTimestamp"}) {
    void* found = FindReal(name);
    if (found != nullptr) return reinterpret_cast<CuptiTimestamp>(found);
  }
  return nullptr;
}

ClockKind ClockForSession(const Config& config) {
  CuptiTimestamp cupti = nullptr;
  if (config.clock == ClockKind::kCupti) {
    cupti = FindCuptiTimestamp();
    if (cupti == nullptr) {
      Log(LogLevel::kWarning,
          "DLTAP_CLOCK=cupti, but no CUPTI is loaded; using the cycle counter");
    }
  }
  return ChooseClock(config.clock, cupti);
}

// Once per process: configuration, then clock.
void Prepare() {
  if (g_session_pid == getpid()) return;
  const bool secure = getauxval(AT_SECURE) != 0;
  g_config = ParseConfig(environ, secure, WarnOfVariable);
  SetLogLevel(g_config.log);
  ClockForSession(g_config);
  g_session_pid = getpid();
}

// The collector does not answer: it hangs, in CUPTI most likely. Said where
// readers find it although nobody drains.
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

// Who did not answer once is not waited for again.
void FinishInTime(Finish what) {
  if (LossCount(trace::LossKind::kFlushDeadline) != 0) return;
  if (!FinishPass(what, kExitDeadlineNs)) NoteDeadline();
}

// Runs in the process that registered it and in its forked children, which
// have no collector unless they started their own session.
void OnExit(int, void*) {
  if (g_session_pid != getpid() ||
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
  if (word == kIdle ||
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
  ResetTexts();
  if (!g_output.Open(g_config, process, HeaderOf(process, first))) {
    return false;
  }
  if (!g_buffers.Reset(&g_output.ring_file())) return false;
  if (!g_buffers.PrepareFirst()) return false;
  WriteSessionDefinitions(process, g_config, first, ReadClocks());
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

// Recording begins: kernels launched before CUPTI is on would be lost, so the
// caller waits for one pass of the collector, as it waits for the driver in the
// same call. Bounded: the collector may need a lock that the caller holds.
void WaitForParticipants() {
  const int saved_errno = errno;
  if (g_config.level == Level::kKernels && t_thread.session != kOwnThread) {
    FinishPass(Finish::kDrain, kStartPatienceNs);
  }
  errno = saved_errno;
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
  if (g_config.disabled) {
    g_process.word.store(kDisabled, std::memory_order_release);
  } else if (g_process.starting.exchange(1, std::memory_order_acq_rel) == 0) {
    const bool is_open = OpenUncancelled();
    ++g_last_session;
    is_recording =
        is_open &&
        (!g_config.start_paused ||
         g_process.window_is_open.load(std::memory_order_acquire) != 0);
    const uint32_t next = is_recording ? g_last_session
                          : is_open    ? kPaused
                                       : kDisabled;
    g_process.word.store(next, std::memory_order_release);
    if (is_recording) WaitForParticipants();
  }
  errno = saved_errno;
  return is_recording;
}

void OpenWindow(trace::WindowCause cause) {
  g_process.window_is_open.store(1, std::memory_order_release);
  uint32_t paused = kPaused;
  if (!g_process.word.compare_exchange_strong(paused, g_last_session)) return;
  const trace::WindowPayload payload = {1, static_cast<uint32_t>(cause), 0};
  AppendSpecial(trace::SpecialSlot::kWindow, &payload, sizeof(payload));
  WaitForParticipants();
}

void CloseWindow(trace::WindowCause cause) {
  g_process.window_is_open.store(0, std::memory_order_release);
  uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word < kFirstSession || !g_config.start_paused) return;
  const trace::WindowPayload payload = {0, static_cast<uint32_t>(cause), 0};
  AppendSpecial(trace::SpecialSlot::kWindow, &payload, sizeof(payload));
  g_process.word.compare_exchange_strong(word, kPaused);
}

void StopRecording() {
  g_process.word.store(kDisabled, std::memory_order_release);
}

void SetCorrelationHooks(CorrelationHooks hooks) {
  g_push.store(hooks.push, std::memory_order_release);
  g_pop.store(hooks.pop, std::memory_order_release);
}

void SetPushing(bool on) {
  g_process.pushing.store(on ? 1 : 0, std::memory_order_release);
}

bool PushCorrelation(uint64_t id) {
  auto* push = g_push.load(std::memory_order_acquire);
  return push != nullptr && push(id);
}

void PopCorrelation() {
  auto* pop = g_pop.load(std::memory_order_acquire);
  if (pop != nullptr) pop();
}

const Config& SessionConfig() { return g_config; }

uint32_t SessionNumber() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word >= kFirstSession) return word;
  return word == kPaused ? g_last_session : 0;
}

}  // namespace dltap::shim
