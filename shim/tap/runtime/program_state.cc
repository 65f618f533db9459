// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/program_state.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <ctime>

namespace dltap::shim {
namespace {

// Of the thread that started the collector.
constinit sigset_t g_mask;
constinit FloatState g_float;

// What an instruction raises.
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

bool BlocksFault(const sigset_t& mask) {
  for (const int fault : kFaults) {
    if (sigismember(&mask, fault) != 0) return true;
  }
  return false;
}

bool IsHandled(int signal_number) {
  struct sigaction action;
  return sigaction(signal_number, nullptr, &action) == 0 &&
         action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

// What a thread that works for us blocks, given what the program's blocks. Not
// SIGSYS: a sandbox may answer system calls by a handler. Nor what an
// instruction of ours may raise: a program that notices writes has protected
// the page, and its handler opens it. Where such a signal is blocked, the
// kernel kills. What the program blocks and does not handle stays blocked:
// a thread of its own may wait for it.
sigset_t OurMask(const sigset_t& programs) {
  sigset_t mask;
  sigfillset(&mask);
  sigdelset(&mask, SIGSYS);
  for (const int fault : kFaults) {
    if (sigismember(&programs, fault) == 0 || IsHandled(fault)) {
      sigdelset(&mask, fault);
    }
  }
  return mask;
}

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
  pthread_sigmask(SIG_BLOCK, nullptr, &g_mask);
  const sigset_t mask = OurMask(g_mask);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

ProgramStateHold::~ProgramStateHold() {
  pthread_sigmask(SIG_SETMASK, &g_mask, nullptr);
}

SignalHold::SignalHold() {
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
  const sigset_t mask = OurMask(mask_);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

SignalHold::~SignalHold() { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }

void PutDownProgramState() {
  ResetFloatState();
  LeaveRealTime();
}

void FollowFaultHandlers() {
  if (!BlocksFault(g_mask)) return;
  const sigset_t mask = OurMask(g_mask);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void TakeUpProgramState() {
  sigset_t none;
  sigemptyset(&none);
  ForgetOwnSignals(none);
  LoadFloatState(g_float);
  pthread_sigmask(SIG_SETMASK, &g_mask, nullptr);
}

TurnInPlaceGuard::TurnInPlaceGuard() {
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
  const sigset_t mask = OurMask(mask_);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
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
