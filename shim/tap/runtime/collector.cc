// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/drain.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/session.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr size_t kStackBytes = size_t{2} << 20;
constexpr uint64_t kLatePassNs = kNsPerSecond;

// ProcessPage::finish_requests: what is wanted, above a count of requests.
constexpr int kFinishShift = 30;

Finish WantedBy(uint32_t request) {
  return static_cast<Finish>(request >> kFinishShift);
}

constinit uint64_t g_exit_deadline_ns = 0;

long Futex(std::atomic<uint32_t>* word, int operation, uint32_t value,
           const timespec* timeout) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value,
                 timeout, nullptr, 0);
}

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond),
          static_cast<long>(ns % kNsPerSecond)};
}

// When things are due, in monotonic time. Collector only.
struct Schedule {
  uint64_t samples_ns = 0;
  uint64_t anchors_ns = 0;
  uint64_t last_pass_ns = 0;
};

void TakeSamples(uint64_t now_ns, bool final, Schedule* schedule) {
  if (now_ns >= schedule->samples_ns || final) {
    schedule->samples_ns = now_ns + kPassPeriodNs * 9 / 10;
    SampleThreads();
  }
  if (now_ns >= schedule->anchors_ns || final) {
    schedule->anchors_ns = now_ns + kNsPerSecond;
    WriteAnchor(ReadClocks());
    WriteTotals(final);
  }
}

void Pass(bool final, Schedule* schedule) {
  const uint64_t now_ns = MonotonicNs();
  if (schedule->last_pass_ns != 0 &&
      now_ns - schedule->last_pass_ns > kPassPeriodNs + kLatePassNs) {
    CountLoss(trace::LossKind::kCollectorLate);
  }
  schedule->last_pass_ns = now_ns;
  if (!final) g_buffers.Refill();
  PassParticipants();
  SnapshotRings();
  g_output.DrainDefinitions();
  DrainRings();
  g_output.DrainDefinitions();  // names of kernels seen just now
  TakeSamples(now_ns, final, schedule);
  g_output.Flush();
}

// Sleeps until somebody asks for a pass, a tenth of a second at most.
void WaitForWork() {
  if (g_process.wake.exchange(0, std::memory_order_acq_rel) != 0) return;
  const timespec timeout = ToTimespec(kPassPeriodNs);
  Futex(&g_process.wake, FUTEX_WAIT, 0, &timeout);
}

void AnswerRequests(uint32_t requests) {
  g_process.finished.store(requests, std::memory_order_release);
  Futex(&g_process.finished, FUTEX_WAKE, INT_MAX, nullptr);
}

// One turn of the collector's loop. False: the trace is closed.
bool Turn(Schedule* schedule) {
  const uint32_t request =
      g_process.finish_requests.load(std::memory_order_acquire);
  const bool is_asked =
      request != g_process.finished.load(std::memory_order_relaxed);
  const Finish wanted = is_asked ? WantedBy(request) : Finish::kDrain;
  if (wanted == Finish::kExit) ExitParticipants(g_exit_deadline_ns);
  if (wanted == Finish::kEnd) g_output.BeginFinish();
  Pass(is_asked, schedule);
  if (wanted == Finish::kEnd) g_output.Finish(Ticks());
  if (is_asked) AnswerRequests(request);
  return wanted != Finish::kEnd;
}

void* RunCollector(void*) {
  t_thread.session = kOwnThread;
  prctl(PR_SET_NAME, "dltap", 0, 0, 0);
  Schedule schedule;
  MeasureCallCost();
  StartParticipants();
  while (Turn(&schedule)) WaitForWork();
  return nullptr;
}

}  // namespace

bool StartCollector() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, RunCollector, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  g_process.collector_runs.store(error == 0 ? 1 : 0, std::memory_order_release);
  return error == 0;
}

void WakeCollector() {
  if (g_process.wake.exchange(1, std::memory_order_acq_rel) != 0) return;
  const int saved_errno = errno;
  Futex(&g_process.wake, FUTEX_WAKE, 1, nullptr);
  errno = saved_errno;
}

bool FinishPass(Finish what, uint64_t patience_ns) {
  if (g_process.collector_runs.load(std::memory_order_acquire) == 0) {
    return false;
  }
  const uint64_t give_up_ns = MonotonicNs() + patience_ns;
  g_exit_deadline_ns = give_up_ns;
  constexpr uint32_t kCountMask = (1u << kFinishShift) - 1;
  uint32_t before = g_process.finish_requests.load(std::memory_order_relaxed);
  uint32_t request;
  do {
    request = ((before + 1) & kCountMask) |
              (static_cast<uint32_t>(what) << kFinishShift);
  } while (!g_process.finish_requests.compare_exchange_weak(
      before, request, std::memory_order_acq_rel));
  g_process.wake.store(0, std::memory_order_relaxed);
  WakeCollector();
  for (;;) {
    const uint32_t finished =
        g_process.finished.load(std::memory_order_acquire);
    if (finished == request) return true;
    const uint64_t now_ns = MonotonicNs();
    if (now_ns >= give_up_ns) return false;
    const timespec timeout = ToTimespec(give_up_ns - now_ns);
    Futex(&g_process.finished, FUTEX_WAIT, finished, &timeout);
  }
}

trace::BlockBuilder& BuilderFor(trace::BlockKind kind, size_t bytes) {
  return g_output.BuilderFor(kind, bytes);
}

}  // namespace dltap::shim
