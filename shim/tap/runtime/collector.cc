// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <cstdint>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/collector_requests.h"
#include "shim/tap/runtime/command_line.h"
#include "shim/tap/runtime/drain.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_definitions.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_buffers.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/runtime/thread_watch.h"
#include "shim/tap/runtime/totals.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr size_t kStackBytes = size_t{2} << 20;
constexpr uint64_t kLatePassNs = kNsPerSecond;

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
  StopParticipants();
  g_output.ReleaseMemory();
}

void FullTurn(const PassRequest& request, Schedule* schedule) {
  if (request.wanted == Finish::kExit) ExitParticipants(RequestDeadlineNs());
  if (request.wanted == Finish::kEnd) g_output.BeginFinish();
  Pass(request.is_open, schedule);
  if (request.wanted == Finish::kEnd) {
    g_output.Finish(Ticks());
  } else if (!g_output.is_writable()) {
    EndEarly();
  }
}

// One turn of the collector's loop. False: the process ends.
bool Turn(Schedule* schedule) {
  const PassRequest request = NewestRequest();
  if (!g_output.is_closed()) FullTurn(request, schedule);
  if (request.is_open) AnswerRequest(request);
  return request.wanted != Finish::kEnd;
}

void* RunCollector(void*) {
  t_thread.session = kOwnThread;
  prctl(PR_SET_NAME, "dltap", 0, 0, 0);
  Schedule schedule;
  WriteCommandLine();
  MeasureCallCost();
  StartParticipants();
  while (Turn(&schedule)) {
    WaitForRequest(g_output.is_closed() ? kForEver : kPassPeriodNs);
  }
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

}  // namespace dltap::shim
