// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_

#include <cstdint>

#include "shim/tap/runtime/process_page.h"

// How other threads ask the collector for a pass and wait for it. It lies below
// all that the collector does, so that a thread that fills a ring can wake it.
//
// How long they wait: collector_patience.h.
namespace dltap::shim {

// Asks for a pass soon. Any thread, also a signal handler; one futex call, and
// only by the first to ask since the collector last woke.
void WakeCollector();

// Waits until the collector has come that far or has failed. False: it is not
// there. Keeps errno.
bool WaitForState(CollectorState state);

// Waits until rings may be ready; asks the collector for some. False: none came
// in time. Keeps errno.
bool WaitForRings();

// What a caller of FinishPass() wants.
enum class Finish : uint32_t {
  kDrain = 0,  // everything recorded so far is in the data file
  kExit = 1,   // and participants have handed over what they hold
  kEnd = 2,    // and the trace is closed; the collector ends
};

// Asks for a pass and waits until it is done, or the collector gone: kDrain as
// above, the others as at the end. Any number of threads at once. False: not
// done in time.
bool FinishPass(Finish what);

// ---- Collector

// What has been asked for so far.
struct PassRequest {
  uint32_t number;
  bool is_open;   // it has not been answered
  Finish wanted;  // the most that anybody has asked for
};
PassRequest NewestRequest();
void AnswerRequest(const PassRequest& request);

// Whether the thread that asked for the exit still waits. If it does not, the
// vendor's exit handlers run, and what its libraries named may be gone.
bool IsExitAwaited();

void SetCollectorState(CollectorState state);

// So many buffers can be taken. True: threads still wait for some.
bool OfferRings(int count);

// Around what may take locks of others.
void NoteForeignCode(bool inside);

// Sleeps until somebody asks for a pass, `timeout_ns` at most. Writes to no
// memory.
void SleepUntilRequest(uint64_t timeout_ns);
// Has somebody asked for one since the last time?
bool TakeRequest();

// From now on, who asks for a pass runs `turn` instead: the collector is the
// last thread.
void RunTurnsInPlace(void (*turn)());

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_
