// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_
#define DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_

#include <cstdint>

// How other threads ask the collector for a pass and wait for it. It lies below
// all that the collector does, so that a thread that fills a ring can wake it.
namespace dltap::shim {

// Asks for a pass soon. Any thread, also a signal handler; one futex call, and
// only when the collector sleeps.
void WakeCollector();

// What a caller of FinishPass() wants.
enum class Finish : uint32_t {
  kDrain = 0,  // everything recorded so far is in the data file
  kExit = 1,   // and participants have handed over what they hold
  kEnd = 2,    // and the trace is closed; the collector ends
};

// Asks for a pass and waits until it is done, at most `patience_ns`. False: not
// done in time.
bool FinishPass(Finish what, uint64_t patience_ns);

// ---- Collector

// The newest request. `is_open`: it has not been answered.
struct PassRequest {
  uint32_t number;
  bool is_open;
  Finish wanted;
};
PassRequest NewestRequest();
void AnswerRequest(const PassRequest& request);

// Until when the thread that asked waits, in monotonic time.
uint64_t RequestDeadlineNs();

// Sleeps until somebody asks for a pass, `timeout_ns` at most.
inline constexpr uint64_t kForEver = ~uint64_t{0};
void WaitForRequest(uint64_t timeout_ns);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_COLLECTOR_REQUESTS_H_
