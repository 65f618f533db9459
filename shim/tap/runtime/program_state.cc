// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/program_state.h"

#include <pthread.h>
#include <sched.h>

#include <ctime>

namespace dltap::shim {
namespace {

// Of the thread that started the collector.
constinit sigset_t g_mask;
constinit FloatState g_float;

// Takes away the signals that our own writes have sent to this thread, which
// blocks them; not those that were `pending` before.
void ForgetOwnSignals(const sigset_t& pending) {
  constexpr int kOwnSignals[] = {SIGPIPE, SIGXFSZ};
  sigset_t own;
  sigemptyset(&own);
  for (const int signal_number : kOwnSignals) {
    if (sigismember(&pending, signal_number) == 0) {
      sigaddset(&own, signal_number);
    }
  }
  const timespec now = {};
  while (sigtimedwait(&own, nullptr, &now) > 0) {
  }
}

// What the program has a processor for is no work of ours.
void LeaveRealTime() {
  const int policy = sched_getscheduler(0);
  if (policy != SCHED_FIFO && policy != SCHED_RR) return;
  const sched_param none = {};
  sched_setscheduler(0, SCHED_OTHER, &none);
}

}  // namespace

ProgramStateHold::ProgramStateHold() {
  SaveFloatState(&g_float);
  LoadFloatState(g_float);  // saving has masked traps
  sigset_t most;
  sigfillset(&most);
  sigdelset(&most, SIGSYS);
  pthread_sigmask(SIG_SETMASK, &most, &g_mask);
}

ProgramStateHold::~ProgramStateHold() {
  pthread_sigmask(SIG_SETMASK, &g_mask, nullptr);
}

void PutDownProgramState() {
  ResetFloatState();
  LeaveRealTime();
}

void TakeUpProgramState() {
  sigset_t none;
  sigemptyset(&none);
  ForgetOwnSignals(none);
  LoadFloatState(g_float);
  pthread_sigmask(SIG_SETMASK, &g_mask, nullptr);
}

TurnInPlaceGuard::TurnInPlaceGuard() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask_);
  sigpending(&pending_);
  SaveFloatState(&float_);
  ResetFloatState();
}

TurnInPlaceGuard::~TurnInPlaceGuard() {
  LoadFloatState(float_);
  ForgetOwnSignals(pending_);
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace dltap::shim
