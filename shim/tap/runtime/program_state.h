// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_PROGRAM_STATE_H_
#define DLTAP_SHIM_TAP_RUNTIME_PROGRAM_STATE_H_

#include <signal.h>

#include "shim/tap/runtime/float_state.h"

// What a thread hands down to the one that it makes: its signal mask,
// floating-point state and priority are for the program's work. The
// collector puts them down, and takes the first two back where it ends the
// process for the program.
namespace dltap::shim {

// While it lives, the calling thread, and one that it makes, has no signals but
// those that it must have: SIGSYS and what an instruction raises. Where they
// are blocked and come, the kernel kills. What the thread had is the program's
// state.
class ProgramStateHold {
 public:
  ProgramStateHold();
  ~ProgramStateHold();
  ProgramStateHold(const ProgramStateHold&) = delete;
  ProgramStateHold& operator=(const ProgramStateHold&) = delete;
};

// The same of signals alone, in any number of threads at once.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;

 private:
  sigset_t mask_;
};

// On the collector, first of all.
void PutDownProgramState();

// Whenever it has slept: the program may have come to handle, or not to, what
// an instruction raises. Costs nothing where the thread that started the
// collector blocked none of that.
void FollowFaultHandlers();

// Later, where the program's exit handlers will run on it.
void TakeUpProgramState();

// Work of the collector's on a thread of the program's: no signal, no trap and
// no rounding of the program's meets it, and what its own writes have sent does
// not meet the program. (A terminal stops a job in the background that writes
// to it, unless SIGTTOU is blocked.)
class TurnInPlaceGuard {
 public:
  TurnInPlaceGuard();
  ~TurnInPlaceGuard();
  TurnInPlaceGuard(const TurnInPlaceGuard&) = delete;
  TurnInPlaceGuard& operator=(const TurnInPlaceGuard&) = delete;

 private:
  sigset_t mask_, pending_;
  FloatState float_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_PROGRAM_STATE_H_
