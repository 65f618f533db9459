// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/drain.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/program_state.h"
#include "shim/tap/runtime/ring_leftovers.h"
#include "shim/tap/runtime/run_state.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/session_opening.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/switch_watch.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr size_t kStackBytes = size_t{2} << 20;
// Thread-local variables of the program lie on each thread's stack, too.
constexpr size_t kMostStackBytes = size_t{1} << 30;
constexpr uint64_t kLatePassNs = kNsPerSecond;
constexpr uint64_t kRefillPauseNs = kNsPerSecond / 1000;
constexpr int kMaxRefills = 64;
constexpr int kMostMoved = 16;

// When things are due, in monotonic time, and what is over. Collector only.
struct Schedule {
  uint64_t threads_ns = 0;
  uint64_t process_ns = 0;
  uint64_t last_ns = 0;  // whether other threads are left
  uint64_t anchors_ns = 0;
  uint64_t last_pass_ns = 0;
  uint64_t leftovers_ns = 0;
  uint64_t random = 1;
  bool has_looked = false;  // for leftovers of others
  bool has_exited = false;  // participants have handed over what they held
  bool is_last = false;     // no other thread is left
};
constinit Schedule g_schedule;

// Looks at even times could meet a program of about the same period always at
// the same place: each is up to a quarter early or late (Lehmer's generator).
uint64_t Uneven(uint64_t ns) {
  constexpr uint64_t kPrime = 2'147'483'647;
  constexpr uint64_t kMultiplier = 48'271;
  g_schedule.random = g_schedule.random * kMultiplier % kPrime;
  return ns - ns / 4 + ns / 2 * g_schedule.random / kPrime;
}

void LookAtThreads(uint64_t now_ns) {
  g_schedule.threads_ns = now_ns + Uneven(SampleThreads(now_ns));
  LookFurther(now_ns);
}

void TakeSamples(uint64_t now_ns, bool final) {
  Schedule& schedule = g_schedule;
  if (now_ns >= schedule.threads_ns || final) LookAtThreads(now_ns);
  if (final) SampleWatchedThreads(now_ns);
  if (now_ns >= schedule.process_ns || final) {
    schedule.process_ns = now_ns + SampleProcess();
  }
  if (now_ns >= schedule.last_ns || final) {
    schedule.last_ns = now_ns + kPassPeriodNs * 9 / 10;
    schedule.is_last = IsLastThread();
  }
  if (now_ns >= schedule.anchors_ns || final) {
    schedule.anchors_ns = now_ns + kNsPerSecond;
    WriteAnchor(ReadClocks());
    WriteTotals(final);
    NoteFilter();
  }
}

void NoteLatePass(uint64_t now_ns) {
  Schedule& schedule = g_schedule;
  if (schedule.last_pass_ns != 0 &&
      now_ns - schedule.last_pass_ns > kPassPeriodNs + kLatePassNs) {
    CountLoss(trace::LossKind::kCollectorLate);
  }
  schedule.last_pass_ns = now_ns;
}

// Threads that begin all at once get their rings before anything is written.
void PrepareRings() {
  for (int i = 0; i < kMaxRefills; ++i) {
    if (!OfferRings(g_buffers.Refill()) || g_buffers.is_full()) return;
    SleepUntilRequest(kRefillPauseNs);
    TakeRequest();
  }
}

void Pass(bool final, bool ends) {
  const uint64_t now_ns = MonotonicNs();
  NoteLatePass(now_ns);
  WriteWaitingLines();
  if (!ends) PrepareRings();
  if (!g_schedule.has_exited) PassParticipants();
  SnapshotRings();
  g_output.DrainDefinitions();
  DrainRings();
  g_output.DrainDefinitions();  // names of kernels seen just now
  TakeSamples(now_ns, final);
  g_output.Flush();
  if (g_output.TakeForgotten()) {
    NewDefinitionEpoch();
    ForgetDefinitions();
  }
}

// The size limit is reached or the disk is full: the trace gets its end now.
// What is still in the rings is counted as lost.
void EndEarly() {
  SnapshotRings();
  DrainRings();
  g_output.BeginFinish();
  WriteTotals(true);
  g_output.Flush();
  g_output.Finish(Ticks());
  if (!g_schedule.has_exited) StopParticipants();
  EndAllSwitches();
  g_output.ReleaseMemory();
}

// After this no vendor function is called: vendors tear down in exit handlers
// that come later.
void LeaveParticipants() {
  g_schedule.has_exited = true;
  const auto clock =
      static_cast<ClockKind>(g_process.clock.load(std::memory_order_relaxed));
  if (clock != ClockKind::kActivity) UseActivityTimestamp(nullptr);
}

// Looking takes a descriptor for a moment, which a program that has just begun
// may be counting on.
void LookForLeftovers(bool ends) {
  Schedule& schedule = g_schedule;
  const uint64_t now_ns = MonotonicNs();
  if (schedule.leftovers_ns == 0) schedule.leftovers_ns = now_ns + kNsPerSecond;
  if (schedule.has_looked || (now_ns < schedule.leftovers_ns && !ends)) return;
  schedule.has_looked = true;
  MoveLeftoverRings(g_output.ring_file().path(), kMostMoved);
}

// One turn of the collector's loop. False: the trace is closed.
bool Turn() {
  const PassRequest request = NewestRequest();
  const bool ends = request.wanted == Finish::kEnd;
  const bool exits = request.wanted >= Finish::kExit && !g_schedule.has_exited;
  if (exits || ends) FollowNoMore();
  if (exits) ExitParticipants(IsExitAwaited);
  if (ends) g_output.BeginFinish();
  Pass(exits || ends, ends);
  if (exits) LeaveParticipants();
  LookForLeftovers(ends);
  if (ends) {
    g_output.Finish(Ticks());
  } else if (!g_output.is_writable()) {
    EndEarly();
  }
  if (request.is_open) AnswerRequest(request);
  return !g_output.is_closed();
}

// Threads at work are looked at more often than rings are drained.
void WaitForPass() {
  const uint64_t end_ns = MonotonicNs() + kPassPeriodNs;
  for (;;) {
    const uint64_t now_ns = MonotonicNs();
    const uint64_t look_ns = g_schedule.threads_ns;
    if (now_ns >= end_ns) return;
    if (now_ns >= look_ns) {
      LookAtThreads(now_ns);
      continue;
    }
    SleepUntilRequest((look_ns < end_ns ? look_ns : end_ns) - now_ns);
    FollowFaultHandlers();
    if (TakeRequest()) return;
  }
}

// On the thread that ends the process, in its exit handlers.
void TurnInPlace() {
  const TurnInPlaceGuard guard;
  const uint32_t session = t_thread.session;
  t_thread.session = kOwnThread;
  Turn();
  t_thread.session = session;
}

// The program's threads have all ended by pthread_exit. The last one to do so
// would have run the exit handlers, so this one does: the C library lets the
// last thread that returns end the process.
void BecomeTheLastThread() {
  RunTurnsInPlace(TurnInPlace);
  SetCollectorState(CollectorState::kLast);
  t_thread = ThreadState{};
  TakeUpProgramState();
}

void* RunCollector(void*) {
  t_thread.session = kOwnThread;
  g_process.collector_tid.store(static_cast<uint32_t>(gettid()));
  prctl(PR_SET_NAME, "dltap", 0, 0, 0);
  PutDownProgramState();
  g_schedule = Schedule{};
  ForgetSwitches();
  if (!OpenSession()) {
    g_process.word.store(kDisabled, std::memory_order_release);
    WriteWaitingLines();
    SetCollectorState(CollectorState::kFailed);
    return nullptr;
  }
  BeginRecording();
  // Where all processes live too short to come to it: each takes two away.
  if (ManyMayBeLeft()) MoveLeftoverRings(g_output.ring_file().path(), 2);
  SetCollectorState(CollectorState::kOpen);
  StartParticipants();
  bool goes_on = Turn();
  SetCollectorState(CollectorState::kReady);
  if (goes_on) MeasureCallCost();
  while (goes_on && !g_schedule.is_last) {
    WaitForPass();
    goes_on = Turn();
  }
  if (goes_on) BecomeTheLastThread();
  if (SessionHasEnded()) {
    SetCollectorState(CollectorState::kFailed);
    // Exit handlers will run here.
    if (IsLastThread()) TakeUpProgramState();
  }
  return nullptr;
}

}  // namespace

bool StartCollector() {
  g_process.collector.store(static_cast<uint32_t>(CollectorState::kOpening));
  pthread_attr_t attributes;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const ProgramStateHold hold;
    pthread_t thread;
    int error = EINVAL;
    for (size_t bytes = kStackBytes; error == EINVAL && bytes < kMostStackBytes;
         bytes *= 4) {
      pthread_attr_setstacksize(&attributes, bytes);
      error = pthread_create(&thread, &attributes, RunCollector, nullptr);
    }
    started = error == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!started) SetCollectorState(CollectorState::kFailed);
  return started;
}

}  // namespace dltap::shim
