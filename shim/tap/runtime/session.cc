// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session.h"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "shim/tap/runtime/activity_hooks.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/environment.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/output_path.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {

namespace {

constexpr uint64_t kRetryNs = 1'000'000'000;
constexpr uint64_t kPreparationPatienceNs = 10'000'000;

// Of ProcessPage::preparing.
enum Preparation : uint32_t { kNotPrepared, kPreparing, kPrepared };

[[gnu::section("dltap_at_load")]] constinit pid_t g_session_pid = 0;
constinit bool g_exit_is_registered = false;
// No thread could be had; monotonic time of the next attempt.
constinit std::atomic<uint64_t> g_retry_ns{0};

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

bool IsWanted(const char* variable) {
  const char* output = FindVariable(SessionEnvironment(), "DLTAP_OUTPUT");
  return IsRankVariable(variable) || IsNamedIn(output, variable);
}

// Once per process: configuration, then clock.
void Prepare() {
  CopyEnvironment(environ, IsWanted);
  SetSessionConfig(
      ParseConfig(SessionEnvironment(), DisabledAtLoad(), [](const char*) {}));
  SetLogLevel(SessionConfig().log);
  if (SessionConfig().disabled) {
    g_process.word.store(kDisabled, std::memory_order_release);
  } else {
    ChooseSessionClock(SessionConfig());
  }
  g_retry_ns.store(0, std::memory_order_relaxed);
  g_session_pid = getpid();
}

// Another thread prepares. (Or this one does, and a signal handler runs on it:
// so not for ever.)
bool WaitForPreparation() {
  const uint64_t begin_ns = MonotonicNs();
  while (g_process.preparing.load(std::memory_order_acquire) != kPrepared) {
    if (MonotonicNs() - begin_ns > kPreparationPatienceNs) return false;
    sched_yield();
  }
  return true;
}

CollectorState State() {
  return static_cast<CollectorState>(
      g_process.collector.load(std::memory_order_acquire));
}

// The collector does not answer: it hangs, most likely in the vendor's
// profiler. Written where readers find it although no thread drains the rings.
// While it opens the session there is no such place yet.
void NoteDeadline() {
  const CollectorState state = State();
  if (state != CollectorState::kOpen && state != CollectorState::kReady) return;
  trace::LossRecord record = {};
  record.loss = static_cast<uint32_t>(trace::LossKind::kFlushDeadline);
  record.count = LossCount(trace::LossKind::kFlushDeadline);
  g_output.ring_file().definitions().Append(record);
}

// A collector that did not answer once is not waited for again.
void FinishInTime(Finish what) {
  if (State() == CollectorState::kNone || State() == CollectorState::kFailed) {
    return;
  }
  if (LossCount(trace::LossKind::kFlushDeadline) == 0 && !FinishPass(what)) {
    CountLoss(trace::LossKind::kFlushDeadline);
  }
  if (LossCount(trace::LossKind::kFlushDeadline) != 0) NoteDeadline();
}

// Why the process ends without a trace; nullptr: it has one, or wanted none.
const char* ReasonForNoTrace(uint32_t word) {
  if (word != kIdle) return nullptr;
  if (State() == CollectorState::kOpening) {
    return "its files were still being opened when the program ended";
  }
  if (g_retry_ns.load(std::memory_order_relaxed) != 0) {
    return "no thread could be started (see ulimit -u)";
  }
  return nullptr;
}

// Runs in the process that registered it and in its forked children, which
// have no collector unless they started their own session.
void OnExit(int, void*) {
  if (g_session_pid == getpid()) FinishInTime(Finish::kExit);
}

// After all exit handlers: the calls made in them are drained too.
[[gnu::destructor]] void EndSession() {
  if (g_session_pid == 0 || g_session_pid != getpid()) return;
  const uint32_t word =
      g_process.word.exchange(kDisabled, std::memory_order_acq_rel);
  FinishInTime(Finish::kEnd);
  const char* reason = ReasonForNoTrace(word);
  if (reason == nullptr) return;
  Log(LogLevel::kWarning, "no trace: %s", reason);
  WriteWaitingLinesAtExit();
}

// False: no thread can be had, now or since a moment ago.
bool LaunchCollector() {
  if (g_process.starting.load(std::memory_order_acquire) != 0) return true;
  if (MonotonicNs() < g_retry_ns.load(std::memory_order_relaxed)) return false;
  if (g_process.starting.exchange(1, std::memory_order_acq_rel) != 0) {
    return true;
  }
  if (!g_exit_is_registered) {
    // After the vendor's own exit handlers were registered, so before them.
    on_exit(OnExit, nullptr);
    g_exit_is_registered = true;
  }
  if (StartCollector()) return true;
  g_retry_ns.store(MonotonicNs() + kRetryNs, std::memory_order_relaxed);
  g_process.starting.store(0, std::memory_order_release);
  return false;
}

// Where kernels are wanted, until their source is on: those launched before
// would be lost.
void WaitForSession() {
  const bool has_source =
      SessionConfig().level == Level::kKernels && !SessionConfig().start_paused;
  WaitForState(has_source ? CollectorState::kReady : CollectorState::kOpen);
}

}  // namespace

[[gnu::cold]] bool PrepareSession() {
  if (g_process.preparing.load(std::memory_order_acquire) != kPrepared) {
    const int saved_errno = errno;
    uint32_t none = kNotPrepared;
    const bool is_first = g_process.preparing.compare_exchange_strong(
        none, kPreparing, std::memory_order_acq_rel);
    if (is_first) {
      Prepare();
      g_process.preparing.store(kPrepared, std::memory_order_release);
    }
    const bool is_prepared = is_first || WaitForPreparation();
    errno = saved_errno;
    if (!is_prepared) {
      CountLoss(trace::LossKind::kSessionOpening);
      return false;
    }
  }
  return g_process.word.load(std::memory_order_acquire) != kDisabled;
}

[[gnu::cold]] bool StartSession() {
  uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word != kIdle) return word >= kFirstSession;
  const int saved_errno = errno;
  if (PrepareSession() && LaunchCollector()) WaitForSession();
  word = g_process.word.load(std::memory_order_acquire);
  if (word == kIdle) CountLoss(trace::LossKind::kSessionOpening);
  errno = saved_errno;
  return word >= kFirstSession;
}

}  // namespace dltap::shim
